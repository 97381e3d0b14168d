// SPDX-License-Identifier: Apache-2.0

/// Every number the scheduler uses. Nothing is hidden elsewhere.
public struct Policy: Hashable, Sendable {
    /// The shipped set a manifest starts from.
    public enum Profile: String, Sendable, CaseIterable {
        /// The framework's behaviour.
        case apple
        /// No usage model, no floors, no small pending limits.
        case server
    }

    public var profile: Profile
    /// Pending app-refresh requests per app. Apple: 1.
    public var pendingAppRefresh: Int
    /// Pending processing requests per app. Apple: 10.
    public var pendingProcessing: Int
    /// Pending push requests per app. Ours.
    public var pendingPush: Int
    /// Pending continued requests per app. Ours.
    public var pendingContinued: Int
    /// Pending transfer requests per app. Ours.
    public var pendingTransfer: Int
    /// Attempts of one app that may run at the same time, continued ones not counted. Ours.
    public var concurrentAttempts: Int
    /// App-refresh attempts among them. Ours.
    public var concurrentAppRefresh: Int
    /// Processing attempts among them. Ours: one slot stays free for what cannot wait for minutes.
    public var concurrentProcessing: Int
    /// Push attempts among them. Ours.
    public var concurrentPush: Int
    /// Transfer attempts among them. Ours.
    public var concurrentTransfer: Int
    /// Continued attempts that may run at the same time. Ours.
    public var concurrentContinued: Int
    /// Wall limit of an app-refresh attempt. Apple: about 30 s.
    public var appRefreshLimit: Interval
    /// Wall limit of a processing attempt. Apple: minutes; Android: 10 min.
    public var processingLimit: Interval
    /// Wall limit of a push attempt. Apple: about 30 s.
    public var pushLimit: Interval
    /// Wall limit of a continued attempt. Ours; Apple: "there isn't any specific time limit".
    public var continuedLimit: Interval
    /// Wall limit of a transfer attempt. Apple: about 30 s.
    public var transferLimit: Interval
    /// Without progress for so long, a continued attempt is warned of. Ours.
    public var stallWarning: Interval
    /// Without progress for so long, a continued attempt is expired as stalled. Ours; Apple does not
    /// say, developers saw about 30 s.
    public var stallLimit: Interval
    /// How long an attempt that has reported may go on while it holds an assertion. Apple: about 30 s.
    public var assertionLimit: Interval
    /// The shortest time between launches of an app-refresh task; zero for none. Apple: 15 min.
    public var appRefreshSpacing: Interval
    /// The minimum time between the launch of a processing task and that of a request that the app
    /// submits itself; zero: none. Ours; Apple gives no number.
    public var processingSpacing: Interval
    /// Whether processing runs only while the device is not known to be in use. Apple: "only when
    /// the device is idle".
    public var processingNeedsIdle: Bool
    /// The shortest time between launches of a push task; zero for none. Apple: about 15 min.
    public var pushSpacing: Interval
    /// Push launches in an hour; 0 for no limit. Apple: "two or three".
    public var pushHourly: Int
    /// Messages held for a push task with different collapse ids; of more the oldest is dropped. Ours.
    public var pushHeld: Int
    /// Running time of app-refresh, push and transfer attempts without power in a period; zero for no
    /// budget. Android: 10 min (bucket "frequent").
    public var budget: Interval
    /// The time in which a whole budget comes back. Android: 12 h.
    public var budgetPeriod: Interval
    /// The delay after an attempt that ran out of time without a report, doubled with each in a row;
    /// zero for none. Ours; Apple penalizes without numbers.
    public var missedCompletionPenalty: Interval
    /// The longest such delay. Ours.
    public var missedCompletionMaximum: Interval
    /// How long a request without `power: external` prefers power; zero for not at all. Apple: two
    /// days.
    public var starvationDeadline: Interval
    /// How long contention holds work back; then it is how the machine is. Ours.
    public var pressurePatience: Interval
    /// How long refreshes and processing may run after a person last opened the app; zero: always.
    /// Apple: about two weeks.
    public var usageEligibility: Interval
    /// A refresh comes so long before the app is probably used. Ours.
    public var usageLead: Interval
    /// The maximum time after the last refresh that a refresh waits for a predicted use of the app;
    /// zero: it does not wait. Ours; Android: a job a day for an app that is rarely used.
    public var usageHorizon: Interval
    /// Uses that must be known before anything is predicted. Ours.
    public var usageMinimum: Int
    /// Periods missed while no host ran that `catch_up: all` makes up for. Ours.
    public var catchUpLimit: Int
    /// From telling a handler that its time is over to SIGTERM. Ours; Apple: "as short as possible".
    public var grace: Interval
    /// The longest grace a manifest may ask for. Ours.
    public var graceMaximum: Interval
    /// From SIGTERM to SIGKILL. Ours.
    public var terminationWait: Interval
    /// The battery is low below this percentage. Apple (field): 20.
    public var lowBatteryPercent: Int
    /// A low battery counts as low until its charge exceeds the limit by this percentage. Ours.
    public var lowBatteryMargin: Int
    /// How long external power must last, and be gone, before it counts. Ours.
    public var powerSettle: SettleRule.Window
    /// The same for the network, which comes up seconds after a resume. Ours.
    public var networkSettle: SettleRule.Window
    /// The same for a device that is not in use, whose source has waited already. Ours.
    public var idleSettle: SettleRule.Window
    /// Warm workers kept per plugin. Ours.
    public var warmWorkers: Int
    /// How long an unused warm worker is kept. Ours.
    public var warmIdle: Interval
    /// How long launches wait after a worker could not be started for lack of a resource; doubled
    /// while the shortage lasts. Ours.
    public var shortageWait: Interval
    /// The longest such delay. Ours.
    public var shortageWaitMaximum: Interval
    /// How long a host waits for another program that writes to its store before the host ends.
    /// Ours.
    public var storeWait: Interval
    /// How often a request is requeued after the host died under it, before it is dropped as
    /// failed: a request that brings the host down must not do so for ever. Ours.
    public var interruptionLimit: Int
    /// How long a path must stay as it is before its changes submit a task. Ours.
    public var changesSettle: Interval
    /// Output lines stored per attempt, the first and the last half; the others are counted. Ours.
    public var outputLines: Int
    /// Bytes stored of one output line. Ours.
    public var outputLineBytes: Int
    /// Attempts of an identifier that stay in the history however old they are. Ours.
    public var keptAttempts: Int
    /// How long older attempts and events stay in the history. Ours.
    public var keptFor: Interval
    /// Bytes the journal may take; zero for none. Ours.
    public var journalBytes: Int
    /// Transfers that run at a time. Ours.
    public var transferParallel: Int
    /// Connections of transfers to one host at a time. Ours.
    public var transferConnections: Int
    /// Bytes of transfers on metered networks in a period; zero for no budget. Ours.
    public var transferMeteredBytes: Int
    /// That period. Ours.
    public var transferMeteredPeriod: Interval
    /// The maximum size in bytes of a download that does not specify one. Ours.
    public var transferSize: Int
    /// The maximum number of downloads that no app has moved and that are kept for the user. Ours.
    public var keptDownloads: Int

    public static let apple = Policy(
        profile: .apple, pendingAppRefresh: 1, pendingProcessing: 10, pendingPush: 10,
        pendingContinued: 10, pendingTransfer: 10, concurrentAttempts: 2,
        concurrentAppRefresh: 1024, concurrentProcessing: 1, concurrentPush: 1024,
        concurrentTransfer: 1024, concurrentContinued: 1, appRefreshLimit: .seconds(30),
        processingLimit: .minutes(10), pushLimit: .seconds(30), continuedLimit: .days(1),
        transferLimit: .seconds(30), stallWarning: .seconds(15), stallLimit: .seconds(30),
        assertionLimit: .seconds(30), appRefreshSpacing: .minutes(15),
        processingSpacing: .minutes(15), processingNeedsIdle: true, pushSpacing: .minutes(15),
        pushHourly: 3, pushHeld: 100, budget: .minutes(10), budgetPeriod: .hours(12),
        missedCompletionPenalty: .minutes(15), missedCompletionMaximum: .days(1),
        starvationDeadline: .days(2), pressurePatience: .minutes(10), usageEligibility: .days(14),
        usageLead: .minutes(30),
        usageHorizon: .days(1), usageMinimum: 5, catchUpLimit: 100,
        grace: .seconds(5), graceMaximum: .seconds(10),
        terminationWait: .seconds(2), lowBatteryPercent: 20, lowBatteryMargin: 3,
        powerSettle: SettleRule.Window(gained: .seconds(10), lost: .seconds(1)),
        networkSettle: SettleRule.Window(gained: .seconds(15), lost: .seconds(5)),
        idleSettle: .none, warmWorkers: 1, warmIdle: .minutes(1),
        shortageWait: .milliseconds(200), shortageWaitMaximum: .seconds(30), storeWait: .minutes(1),
        interruptionLimit: 3,
        changesSettle: .milliseconds(500),
        outputLines: 1_000, outputLineBytes: 4_096, keptAttempts: 100, keptFor: .days(30),
        journalBytes: 32 << 20, transferParallel: 100, transferConnections: 6,
        transferMeteredBytes: 0, transferMeteredPeriod: .days(1), transferSize: 64 << 30,
        keptDownloads: 20)

    public static let server: Policy = {
        var policy = Policy.apple
        policy.profile = .server
        policy.pendingAppRefresh = 10_000_000
        policy.pendingProcessing = 10_000_000
        policy.pendingPush = 10_000_000
        policy.pendingContinued = 10_000_000
        policy.pendingTransfer = 10_000_000
        policy.concurrentAttempts = 8
        policy.concurrentProcessing = 1024
        policy.concurrentContinued = 8
        policy.continuedLimit = .days(30)
        policy.appRefreshSpacing = .zero
        policy.processingSpacing = .zero
        policy.processingNeedsIdle = false
        policy.pushSpacing = .zero
        policy.pushHourly = 0
        policy.budget = .zero
        policy.missedCompletionPenalty = .zero
        policy.starvationDeadline = .zero
        policy.pressurePatience = .zero
        policy.usageEligibility = .zero
        policy.usageHorizon = .zero
        policy.processingLimit = .hours(1)
        policy.graceMaximum = .minutes(5)
        policy.warmWorkers = 8
        return policy
    }()

    public static func profile(_ profile: Profile) -> Policy {
        switch profile {
        case .apple: .apple
        case .server: .server
        }
    }

    /// Pending requests of `kind` an app may have.
    public func pendingLimit(for kind: TaskKind) -> Int {
        switch kind {
        case .appRefresh: pendingAppRefresh
        case .processing: pendingProcessing
        case .push: pendingPush
        case .continued: pendingContinued
        case .transfer: pendingTransfer
        }
    }

    /// The time an attempt of `kind` is granted when its task does not say.
    public func timeLimit(for kind: TaskKind) -> Interval {
        switch kind {
        case .appRefresh: appRefreshLimit
        case .processing: processingLimit
        case .push: pushLimit
        case .continued: continuedLimit
        case .transfer: transferLimit
        }
    }

    /// Attempts of `kind` that may run at the same time.
    public func concurrencyLimit(for kind: TaskKind) -> Int {
        switch kind {
        case .appRefresh: concurrentAppRefresh
        case .processing: concurrentProcessing
        case .push: concurrentPush
        case .continued: concurrentContinued
        case .transfer: concurrentTransfer
        }
    }
}
