// SPDX-License-Identifier: Apache-2.0

/// Every number of the scheduler, with the value of `apple`. No other file hides one.
package struct Policy: Equatable, Sendable {
    /// The shipped set of values from which a manifest starts.
    package enum Profile: String, Sendable, CaseIterable {
        /// The framework's behaviour.
        case apple
        /// No usage model, no floors, no small pending limits.
        case server
    }

    package var profile = Profile.apple
    /// Pending requests of each kind per app. Apple: 1 app refresh, 10 processing; the others are ours.
    package var pendingLimits = PerKind(
        appRefresh: 1, processing: 10, push: 10, continued: 10, transfer: 10)
    /// Attempts of one app that may run at the same time, continued ones not counted. Ours.
    package var concurrentAttempts = 2
    /// Attempts of each kind among them, and continued ones. Ours: one slot stays free for work that cannot wait for
    /// minutes of processing.
    package var concurrencyLimits = PerKind(
        appRefresh: 1024, processing: 1, push: 1024, continued: 1, transfer: 1024)
    /// Wall limit of an attempt of each kind. Apple: about 30 s for a refresh, a push and a transfer, minutes for
    /// processing (Android: 10 min). Ours for continued work; Apple: "there isn't any specific time limit".
    package var timeLimits = PerKind<Interval>(
        appRefresh: .seconds(30), processing: .minutes(10), push: .seconds(30), continued: .days(1),
        transfer: .seconds(30))
    /// Time without progress after which a continued attempt causes a warning. Ours.
    package var stallWarning = Interval.seconds(15)
    /// Time without progress after which a continued attempt is expired as stalled. Ours; Apple does not say,
    /// developers saw about 30 s.
    package var stallLimit = Interval.seconds(30)
    /// How long an attempt that has reported may continue while it holds an assertion. Apple: about 30 s.
    package var assertionLimit = Interval.seconds(30)
    /// The shortest time between launches of an app-refresh task; zero for none. Apple: 15 min.
    package var appRefreshSpacing = Interval.minutes(15)
    /// The minimum time between the launch of a processing task and that of a request that the app
    /// submits itself; zero: none. Ours; Apple gives no number.
    package var processingSpacing = Interval.minutes(15)
    /// The minimum time between the launch of an identifier and that of a request for it that its own
    /// attempt submits; zero: none. Apple (launchd, ThrottleInterval): 10 s.
    package var resubmissionSpacing = Interval.seconds(10)
    /// Whether processing runs only while the device is not known to be in use. Apple: "only when the device is idle".
    package var processingNeedsIdle = true
    /// The shortest time between launches of a push task; zero for none. Apple: about 15 min.
    package var pushSpacing = Interval.minutes(15)
    /// Push launches in an hour; 0 for no limit. Apple: "two or three".
    package var pushHourly = 3
    /// Messages held for a push task with different collapse ids; then the oldest is dropped. Ours.
    package var pushHeld = 100
    /// Running time of app-refresh, push and transfer attempts without power in a period; zero for no
    /// budget. Android: 10 min (bucket "frequent").
    package var budget = Interval.minutes(10)
    /// The time in which a whole budget is restored. Android: 12 h.
    package var budgetPeriod = Interval.hours(12)
    /// The delay after an attempt that ran out of time without a report, doubled with each in a row; zero for none.
    /// Ours; Apple gives no numbers.
    package var missedCompletionPenalty = Interval.minutes(15)
    /// The longest such delay. Ours.
    package var missedCompletionMaximum = Interval.days(1)
    /// How long a request without `power: external` prefers power; zero: not at all. Apple: two days.
    package var starvationDeadline = Interval.days(2)
    /// How long contention holds work back; then it counts as the normal state of the machine. Ours.
    package var pressureWait = Interval.minutes(10)
    /// How long refreshes and processing may run after a person last opened the app; zero: always.
    /// Apple: about two weeks.
    package var usageEligibility = Interval.days(14)
    /// The time between a refresh and the predicted use of the app. Ours.
    package var usageLead = Interval.minutes(30)
    /// The maximum time after the last refresh that a refresh waits for a predicted use of the app;
    /// zero: it does not wait. Ours; Android: a job a day for an app that is rarely used.
    package var usageHorizon = Interval.days(1)
    /// Uses that must be known before a prediction. Ours.
    package var usageMinimum = 5
    /// Periods missed while no host ran that `catch_up: all` makes up for. Ours.
    package var catchUpLimit = 100
    /// The time from telling a handler to stop to SIGTERM. Ours; Apple: "as short as possible".
    package var grace = Interval.seconds(5)
    /// The longest grace in a manifest. Ours.
    package var graceMaximum = Interval.seconds(10)
    /// The time from SIGTERM to SIGKILL. Ours.
    package var terminationWait = Interval.seconds(2)
    /// The battery is low below this percentage. Apple (field): 20.
    package var lowBatteryPercent = 20
    /// A low battery counts as low until its charge exceeds the limit by this percentage. Ours.
    package var lowBatteryMargin = 3
    /// How long external power must be present, or absent, before it counts. Ours.
    package var powerSettle = SettleRule.Window(gained: .seconds(10), lost: .seconds(1))
    /// The same for the network, which comes up seconds after a resume. Ours.
    package var networkSettle = SettleRule.Window(gained: .seconds(15), lost: .seconds(5))
    /// The same for a device that is not in use, whose source already waits. Ours.
    package var idleSettle = SettleRule.Window.none
    /// Warm workers kept per plugin. Ours.
    package var warmWorkers = 1
    /// How long an unused warm worker is kept. Ours.
    package var warmIdle = Interval.minutes(1)
    /// How long launches wait after a worker could not be started for lack of a resource; doubled
    /// while the shortage lasts. Ours.
    package var shortageWait = Interval.milliseconds(200)
    /// The longest such delay. Ours.
    package var shortageWaitMaximum = Interval.seconds(30)
    /// How long a host waits for another program that writes to its store before the host ends. Ours.
    package var storeWait = Interval.minutes(1)
    /// How often a request is requeued after the host died under it, before it is dropped as failed: a request that
    /// crashes the host must not do so for ever. Ours.
    package var interruptionLimit = 3
    /// How long a path must stay unchanged before its changes submit a task. Ours.
    package var changesSettle = Interval.milliseconds(500)
    /// Output lines stored per attempt, half from the start and half from the end; the others are counted. Ours.
    package var outputLines: Int = 1_000
    /// Bytes stored of one output line. Ours.
    package var outputLineBytes: Int = 4_096
    /// Attempts of an identifier that stay in the history regardless of age. Ours.
    package var keptAttempts = 100
    /// How long older attempts and events stay in the history. Ours.
    package var keptFor = Interval.days(30)
    /// The maximum size of the journal in bytes; zero: no journal. Ours.
    package var journalBytes: Int = 32 << 20
    /// Transfers that run at a time. Ours.
    package var transferParallel = 100
    /// Connections of transfers to one host at a time. Ours.
    package var transferConnections = 6
    /// Bytes of transfers on metered networks in a period; zero: no budget. Ours.
    package var transferMeteredBytes = 0
    /// The length of that period. Ours.
    package var transferMeteredPeriod = Interval.days(1)
    /// The maximum size in bytes of a download that does not specify one. Ours.
    package var transferSize: Int = 64 << 30
    /// The maximum number of downloads that no app has moved and that are kept for the user. Ours.
    package var keptDownloads = 20

    package static let apple = Policy()

    package static let server: Policy = {
        var policy = Policy.apple
        policy.profile = .server
        policy.pendingLimits = PerKind(
            appRefresh: 10_000_000, processing: 10_000_000, push: 10_000_000, continued: 10_000_000,
            transfer: 10_000_000)
        policy.concurrentAttempts = 8
        policy.concurrencyLimits.processing = 1024
        policy.concurrencyLimits.continued = 8
        policy.timeLimits.continued = .days(30)
        policy.appRefreshSpacing = .zero
        policy.processingSpacing = .zero
        policy.processingNeedsIdle = false
        policy.pushSpacing = .zero
        policy.pushHourly = 0
        policy.budget = .zero
        policy.missedCompletionPenalty = .zero
        policy.starvationDeadline = .zero
        policy.pressureWait = .zero
        policy.usageEligibility = .zero
        policy.usageHorizon = .zero
        policy.timeLimits.processing = .hours(1)
        policy.graceMaximum = .minutes(5)
        policy.warmWorkers = 8
        return policy
    }()

    package static func profile(_ profile: Profile) -> Policy {
        switch profile {
        case .apple: .apple
        case .server: .server
        }
    }
}

/// A number of the policy for each kind of task.
package struct PerKind<Value: Equatable & Sendable>: Equatable, Sendable {
    package var appRefresh: Value
    package var processing: Value
    package var push: Value
    package var continued: Value
    package var transfer: Value

    package subscript(kind: TaskKind) -> Value {
        switch kind {
        case .appRefresh: appRefresh
        case .processing: processing
        case .push: push
        case .continued: continued
        case .transfer: transfer
        }
    }
}
