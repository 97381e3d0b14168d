// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// One number of the policy, with its name in `policy:` of a manifest.
package struct PolicySetting: Sendable {
    /// The key.
    package let name: String
    /// The origin of its defaults: Apple, Android, or ours.
    package let origin: String
    let field: Field
    /// The effect, in Markdown.
    let meaning: String
    /// The effect, in a sentence that is complete without the rows around it; nil: `meaning` is.
    let hint: String?
    /// The value, in its unit, that bgrun used before the setting existed; nil: the profile's value.
    package var before: Int64?

    typealias CountPath = any WritableKeyPath<Policy, Int> & Sendable
    typealias FlagPath = any WritableKeyPath<Policy, Bool> & Sendable
    typealias IntervalPath = any WritableKeyPath<Policy, Interval> & Sendable

    enum Field: Sendable {
        case count(CountPath, ClosedRange<Int>)
        case duration(IntervalPath, ClosedRange<Interval>)
        /// Bytes.
        case size(CountPath, ClosedRange<Int64>)
        /// Bytes; 0 disables.
        case sizeOrNone(CountPath, ClosedRange<Int64>)
        case percentage(CountPath)
        case flag(FlagPath)
    }

    /// Every number of the policy, in the order of Docs/policy.md.
    package static let all: [PolicySetting] = [
        .init(
            "pending_app_refresh", .count(\.pendingLimits.appRefresh, 1...10_000_000),
            origin: "Apple: 1", "Pending requests.", hint: "Pending app-refresh requests"),
        .init(
            "pending_processing", .count(\.pendingLimits.processing, 1...10_000_000),
            origin: "Apple: 10", "Pending requests.", hint: "Pending processing requests"),
        .init(
            "pending_push", .count(\.pendingLimits.push, 1...10_000_000), "Pending requests.",
            hint: "Pending push requests"),
        .init(
            "pending_continued", .count(\.pendingLimits.continued, 1...10_000_000),
            "Pending requests.", hint: "Pending continued requests"),
        .init(
            "pending_transfer", .count(\.pendingLimits.transfer, 1...10_000_000),
            "Pending requests.", hint: "Pending transfer requests"),
        .init(
            "concurrent_attempts", .count(\.concurrentAttempts, 1...1024),
            "Attempts at once, except continued and triggered."),
        .init(
            "concurrent_app_refresh", .count(\.concurrencyLimits.appRefresh, 1...1024),
            "Among them.", hint: "App-refresh attempts at once"),
        .init(
            "concurrent_processing", .count(\.concurrencyLimits.processing, 1...1024),
            "Among them.", hint: "Processing attempts at once"),
        .init(
            "concurrent_push", .count(\.concurrencyLimits.push, 1...1024), "Among them.",
            hint: "Push attempts at once"),
        .init(
            "concurrent_transfer", .count(\.concurrencyLimits.transfer, 1...1024), "Among them.",
            hint: "Transfer attempts at once"),
        .init(
            "concurrent_continued", .count(\.concurrencyLimits.continued, 1...1024), "At once.",
            hint: "Continued attempts at once"),
        .init(
            "app_refresh_limit", .duration(\.timeLimits.appRefresh, .seconds(1) ... .hours(1)),
            origin: "Apple: about 30 seconds", "Attempt without `expiration: after`.",
            hint: "The time of an app-refresh attempt without `expiration: after`"),
        .init(
            "processing_limit", .duration(\.timeLimits.processing, .seconds(1) ... .days(30)),
            origin: "Apple: minutes; Android: 10 minutes", "Attempt without `expiration: after`.",
            hint: "The time of a processing attempt without `expiration: after`"),
        .init(
            "push_limit", .duration(\.timeLimits.push, .seconds(1) ... .hours(1)),
            origin: "Apple: about 30 seconds", "Attempt without `expiration: after`.",
            hint: "The time of a push attempt without `expiration: after`"),
        .init(
            "continued_limit", .duration(\.timeLimits.continued, .seconds(1) ... .days(366)),
            origin: "ours; Apple: no specific limit", "Attempt without `expiration: after`.",
            hint: "The time of a continued attempt without `expiration: after`"),
        .init(
            "transfer_limit", .duration(\.timeLimits.transfer, .seconds(1) ... .hours(1)),
            origin: "Apple: about 30 seconds", "Attempt without `expiration: after`.",
            hint: "The time of a transfer attempt without `expiration: after`"),
        .init(
            "stall_warning", .duration(\.stallWarning, .seconds(1) ... .days(1)),
            "Without progress until the log warns.",
            hint: "Time without progress until the log warns of a continued attempt"),
        .init(
            "stall_limit", .duration(\.stallLimit, .seconds(1) ... .days(1)),
            origin: "ours; seen with Apple: about 30 seconds", "Without progress until `stalled`.",
            hint: "Time without progress until a continued attempt expires as stalled"),
        .init(
            "assertion_limit", .duration(\.assertionLimit, .zero ... .hours(1)),
            origin: "Apple: about 30 seconds", "Assertion after the report."),
        .init(
            "app_refresh_spacing", .duration(\.appRefreshSpacing, .zero ... .days(30)),
            origin: "Apple: 15 minutes", "Between launches of a task.",
            hint: "Minimum time between launches of an app-refresh task"),
        .init(
            "processing_spacing", .duration(\.processingSpacing, .zero ... .days(30)),
            "From a launch to one that the task's own attempt (`processing`, `transfer`) or, for `processing`, the app's code requests; a `continued` request of its own attempt is refused meanwhile.",
            before: 0),
        .init(
            "resubmission_spacing", .duration(\.resubmissionSpacing, .zero ... .days(30)),
            origin: "Apple: 10 seconds (launchd)",
            "From a launch to one of the same identifier that its own attempt requests (`continued`: refused meanwhile); other requests do not wait.",
            before: 0),
        .init(
            "processing_needs_idle", .flag(\.processingNeedsIdle),
            origin: "Apple: only when the device is idle", "[`user-activity`](#the-factors).",
            hint: "Whether processing waits while a person uses the device", before: 0),
        .init(
            "push_spacing", .duration(\.pushSpacing, .zero ... .days(30)),
            origin: "Apple: about 15 minutes", "Between launches of a task.",
            hint: "Minimum time between launches of a push task"),
        .init(
            "push_hourly", .count(\.pushHourly, 0...100), origin: "Apple: two or three",
            "Launches in any hour; 0: no limit.",
            hint: "Launches of a push task in any hour; 0: no limit"),
        .init("push_held", .count(\.pushHeld, 1...10_000), "Held messages of a task."),
        .init(
            "budget", .duration(\.budget, .zero ... .days(1)), origin: "Android: 10 minutes",
            "Running time of app-refresh, push and transfer without external power; 0s: none."),
        .init(
            "budget_period", .duration(\.budgetPeriod, .seconds(1) ... .days(30)),
            origin: "Android: 12 hours", "Until a spent budget returns.",
            hint: "The time in which a spent budget returns"),
        .init(
            "missed_completion_penalty", .duration(\.missedCompletionPenalty, .zero ... .days(1)),
            origin: "ours; Apple gives no number", "[Delay](#penalties) of the next launch.",
            hint: "Delay of the next launch after a missed completion"),
        .init(
            "missed_completion_maximum", .duration(\.missedCompletionMaximum, .zero ... .days(30)),
            "Maximum delay.", hint: "Maximum delay after missed completions"),
        .init(
            "starvation_deadline", .duration(\.starvationDeadline, .zero ... .days(366)),
            origin: "Apple: two days", "[Power preference](#the-factors); 0s: none.",
            hint: "How long processing without `power: external` prefers external power"),
        .init(
            "pressure_wait", .duration(\.pressureWait, .zero ... .days(7)),
            "Longer contention has no effect."),
        .init(
            "usage_eligibility", .duration(\.usageEligibility, .zero ... .days(366)),
            origin: "Apple: about two weeks",
            "From the last `open` until refreshes and processing stop; 0s: never."),
        .init(
            "usage_lead", .duration(\.usageLead, .zero ... .days(1)),
            "From a refresh to the predicted use."),
        .init(
            "usage_horizon", .duration(\.usageHorizon, .zero ... .days(7)),
            "From the last refresh, longest wait for a use."),
        .init("usage_minimum", .count(\.usageMinimum, 1...10_000), "Uses before predictions."),
        .init(
            "catch_up_limit", .count(\.catchUpLimit, 1...10_000),
            "Missed periods for `catch_up: all`."),
        .init(
            "grace", .duration(\.grace, .zero ... .hours(1)),
            origin: "ours; Apple: as short as possible", "Expiration to SIGTERM, by default."),
        .init(
            "grace_maximum", .duration(\.graceMaximum, .zero ... .hours(1)), "Of a task.",
            hint: "Maximum grace of a task"),
        .init(
            "termination_wait", .duration(\.terminationWait, .zero ... .minutes(5)),
            "SIGTERM to SIGKILL."),
        .init(
            "low_battery", .percentage(\.lowBatteryPercent), origin: "Apple: 20%",
            "`battery: not-low` fails below."),
        .init(
            "low_battery_margin", .percentage(\.lowBatteryMargin),
            "A low battery ends this far above the limit.", before: 0),
        .init(
            "power_gained_after", .duration(\.powerSettle.gained, .zero ... .hours(1)),
            "Until external power counts."),
        .init(
            "power_lost_after", .duration(\.powerSettle.lost, .zero ... .hours(1)),
            "Until its absence counts.", hint: "Time until lost external power counts"),
        .init(
            "network_gained_after", .duration(\.networkSettle.gained, .zero ... .hours(1)),
            "Until the network, or an unmetered one, counts."),
        .init(
            "network_lost_after", .duration(\.networkSettle.lost, .zero ... .hours(1)),
            "Until its absence counts; metering counts at once.",
            hint: "Time until a lost network counts; metering counts at once"),
        .init(
            "idle_gained_after", .duration(\.idleSettle.gained, .zero ... .hours(1)),
            "Until idleness counts, after [its source's delay](device.md#idle)."),
        .init(
            "idle_lost_after", .duration(\.idleSettle.lost, .zero ... .hours(1)),
            "Until use counts."),
        .init(
            "warm_workers", .count(\.warmWorkers, 0...256),
            "Idle workers per plugin and environment."),
        .init("warm_idle", .duration(\.warmIdle, .zero ... .days(7)), "Until an idle worker ends."),
        .init(
            "shortage_wait", .duration(\.shortageWait, .milliseconds(10) ... .minutes(1)),
            "Delay of launches without resources for a worker; it doubles."),
        .init(
            "shortage_wait_maximum",
            .duration(\.shortageWaitMaximum, .milliseconds(10) ... .hours(1)), "Maximum delay.",
            hint: "Maximum delay of launches without resources for a worker"),
        .init(
            "store_wait", .duration(\.storeWait, .zero ... .hours(1)),
            "A host waits for another writer of its store, then ends; at most 5 seconds once told to end."
        ),
        .init(
            "interruption_limit", .count(\.interruptionLimit, 0...1000),
            "Requeues of a request after its host died."),
        .init(
            "changes_settle", .duration(\.changesSettle, .zero ... .minutes(10)),
            "A `path` must stay unchanged, for at most ten times this."),
        .init(
            "output_lines", .count(\.outputLines, 0...1_000_000),
            "Lines kept of an attempt, from both ends."),
        .init(
            "output_line_size", .size(\.outputLineBytes, 64...1 << 20), "Kept of a line.",
            hint: "Bytes kept of a line of output"),
        .init(
            "kept_attempts", .count(\.keptAttempts, 1...1_000_000),
            "History of an identifier, at any age."),
        .init(
            "kept_for", .duration(\.keptFor, .zero ... .days(3650)),
            "History of older attempts and events."),
        .init(
            "journal_size", .sizeOrNone(\.journalBytes, 1 << 16...1 << 30),
            "[Journal](operations.md#the-journal); 0B: none.",
            hint: "Size of the journal; 0B: none"),
        .init(
            "transfer_parallel", .count(\.transferParallel, 1...1_000),
            "[Transfers](transfers.md) at once."),
        .init(
            "transfer_connections", .count(\.transferConnections, 1...64),
            origin: "ours; Apple: httpMaximumConnectionsPerHost", "To one host.",
            hint: "Connections of transfers to one host"),
        .init(
            "transfer_metered_budget", .sizeOrNone(\.transferMeteredBytes, 1 << 10...1 << 50),
            "Transferred on metered networks; 0B: no limit."),
        .init(
            "transfer_metered_period",
            .duration(\.transferMeteredPeriod, .minutes(1) ... .days(366)), "Its period.",
            hint: "The period of `transfer_metered_budget`"),
        .init(
            "transfer_size", .size(\.transferSize, 1 << 10...1 << 50), "Download.",
            hint: "Maximum size of a download"),
        .init(
            "kept_downloads", .count(\.keptDownloads, 0...10_000),
            "[Kept](transfers.md#files), each for `kept_for`.",
            hint: "Downloads that no app has moved and that are kept"),
    ]

    /// Its value in `policy`, in the form of a manifest.
    package func text(in policy: Policy) -> String {
        switch field {
        case .count(let path, _): String(policy[keyPath: path])
        case .duration(let path, _): Quantity.text(policy[keyPath: path])
        case .size(let path, _), .sizeOrNone(let path, _):
            Quantity.text(bytes: Int64(policy[keyPath: path]))
        case .percentage(let path): "\(policy[keyPath: path])%"
        case .flag(let path): String(policy[keyPath: path])
        }
    }

    /// Its unit; nil for a count or a boolean.
    package var unit: String? {
        switch field {
        case .count, .flag: nil
        case .duration: "nanoseconds"
        case .size, .sizeOrNone: "bytes"
        case .percentage: "percent"
        }
    }

    /// Its value in `policy`, in its unit; 1 for true.
    package func value(in policy: Policy) -> Int64 {
        switch field {
        case .count(let path, _), .size(let path, _), .sizeOrNone(let path, _),
            .percentage(let path):
            Int64(policy[keyPath: path])
        case .duration(let path, _): policy[keyPath: path].nanoseconds
        case .flag(let path): policy[keyPath: path] ? 1 : 0
        }
    }

    /// Sets the value returned by `value(in:)`, regardless of the setting's range. Clamps negative
    /// values, percentages over 100 and counts whose sums could overflow.
    package func set(_ value: Int64, in policy: inout Policy) {
        let value = max(0, value)
        switch field {
        case .count(let path, _), .size(let path, _), .sizeOrNone(let path, _):
            policy[keyPath: path] = Int(clamping: min(value, 1 << 53))
        case .percentage(let path):
            policy[keyPath: path] = Int(clamping: min(value, 100))
        case .duration(let path, _):
            policy[keyPath: path] = Interval(nanoseconds: value)
        case .flag(let path): policy[keyPath: path] = value != 0
        }
    }

    /// The form in the reader, the JSON Schema and the table of Docs/manifest.md.
    var form: Form {
        switch field {
        case .count(_, let range): .count(range)
        case .duration(_, let range): .duration(range)
        case .size(_, let range): .size(range)
        case .sizeOrNone(_, let range): .sizeOrNone(range)
        case .percentage: .percentage
        case .flag: .flag
        }
    }

    private init(
        _ name: String, _ field: Field, origin: String = "ours", _ meaning: String,
        hint: String? = nil, before: Int64? = nil
    ) {
        self.name = name
        self.field = field
        self.origin = origin
        self.meaning = meaning
        self.hint = hint
        self.before = before
    }
}
