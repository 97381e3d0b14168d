// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// One number of the policy, as `policy:` of a manifest names it.
package struct PolicySetting: Sendable {
    /// The key.
    package let name: String
    /// Where its defaults come from: Apple, Android, or ours.
    package let origin: String
    let field: Field
    /// What it decides, in Markdown.
    let meaning: String
    /// What it decides, in a sentence that is complete without the rows around it; nil: `meaning` is.
    var hint: String? { Self.hints[name] }
    /// The value that bgrun used, in its unit, before the setting existed; nil: the profile's
    /// value.
    package var before: Int64?

    typealias CountPath = any WritableKeyPath<Policy, Int> & Sendable
    typealias FlagPath = any WritableKeyPath<Policy, Bool> & Sendable
    typealias IntervalPath = any WritableKeyPath<Policy, Interval> & Sendable

    enum Field: Sendable {
        case count(CountPath, ClosedRange<Int>)
        case duration(IntervalPath, ClosedRange<Interval>)
        /// Bytes.
        case size(CountPath, ClosedRange<Int64>)
        /// Bytes, or 0 for none.
        case sizeOrNone(CountPath, ClosedRange<Int64>)
        case percentage(CountPath)
        case flag(FlagPath)
    }

    /// Every number of the policy, in the order of Docs/policy.md.
    package static let all: [PolicySetting] = [
        .count(
            "pending_app_refresh", \.pendingAppRefresh, 1...10_000_000, origin: "Apple: 1",
            "Pending requests."),
        .count(
            "pending_processing", \.pendingProcessing, 1...10_000_000, origin: "Apple: 10",
            "Pending requests."),
        .count("pending_push", \.pendingPush, 1...10_000_000, origin: "ours", "Pending requests."),
        .count(
            "pending_continued", \.pendingContinued, 1...10_000_000, origin: "ours",
            "Pending requests."),
        .count(
            "pending_transfer", \.pendingTransfer, 1...10_000_000, origin: "ours",
            "Pending requests."),
        .count(
            "concurrent_attempts", \.concurrentAttempts, 1...1024, origin: "ours",
            "Attempts at once, except continued and triggered."),
        .count(
            "concurrent_app_refresh", \.concurrentAppRefresh, 1...1024, origin: "ours",
            "Among them."),
        .count(
            "concurrent_processing", \.concurrentProcessing, 1...1024, origin: "ours", "Among them."
        ),
        .count("concurrent_push", \.concurrentPush, 1...1024, origin: "ours", "Among them."),
        .count(
            "concurrent_transfer", \.concurrentTransfer, 1...1024, origin: "ours", "Among them."),
        .count("concurrent_continued", \.concurrentContinued, 1...1024, origin: "ours", "At once."),
        .duration(
            "app_refresh_limit", \.appRefreshLimit, .seconds(1) ... .hours(1),
            origin: "Apple: about 30 seconds", "Attempt without `expiration: after`."),
        .duration(
            "processing_limit", \.processingLimit, .seconds(1) ... .days(30),
            origin: "Apple: minutes; Android: 10 minutes", "Attempt without `expiration: after`."),
        .duration(
            "push_limit", \.pushLimit, .seconds(1) ... .hours(1), origin: "Apple: about 30 seconds",
            "Attempt without `expiration: after`."),
        .duration(
            "continued_limit", \.continuedLimit, .seconds(1) ... .days(366),
            origin: "ours; Apple: no specific limit", "Attempt without `expiration: after`."),
        .duration(
            "transfer_limit", \.transferLimit, .seconds(1) ... .hours(1),
            origin: "Apple: about 30 seconds", "Attempt without `expiration: after`."),
        .duration(
            "stall_warning", \.stallWarning, .seconds(1) ... .days(1), origin: "ours",
            "Without progress until the log warns."),
        .duration(
            "stall_limit", \.stallLimit, .seconds(1) ... .days(1),
            origin: "ours; seen with Apple: about 30 seconds", "Without progress until `stalled`."),
        .duration(
            "assertion_limit", \.assertionLimit, .zero ... .hours(1),
            origin: "Apple: about 30 seconds", "Assertion after the report."),
        .duration(
            "app_refresh_spacing", \.appRefreshSpacing, .zero ... .days(30),
            origin: "Apple: 15 minutes", "Between launches of a task."),
        .duration(
            "processing_spacing", \.processingSpacing, .zero ... .days(30), origin: "ours",
            "From a launch to one that the task's own attempt (`processing`, `transfer`) or, for `processing`, the app's code requests; a `continued` request of its own attempt is refused meanwhile.",
            before: 0),
        .flag(
            "processing_needs_idle", \.processingNeedsIdle,
            origin: "Apple: only when the device is idle", "[`user-activity`](#the-factors).",
            before: 0),
        .duration(
            "push_spacing", \.pushSpacing, .zero ... .days(30), origin: "Apple: about 15 minutes",
            "Between launches of a task."),
        .count(
            "push_hourly", \.pushHourly, 0...100, origin: "Apple: two or three",
            "Launches in any hour; 0: no limit."),
        .count("push_held", \.pushHeld, 1...10_000, origin: "ours", "Held messages of a task."),
        .duration(
            "budget", \.budget, .zero ... .days(1), origin: "Android: 10 minutes",
            "Running time of app-refresh, push and transfer without external power; 0s: none."),
        .duration(
            "budget_period", \.budgetPeriod, .seconds(1) ... .days(30), origin: "Android: 12 hours",
            "Until a spent budget returns."),
        .duration(
            "missed_completion_penalty", \.missedCompletionPenalty, .zero ... .days(1),
            origin: "ours; Apple gives no number", "[Delay](#penalties) of the next launch."),
        .duration(
            "missed_completion_maximum", \.missedCompletionMaximum, .zero ... .days(30),
            origin: "ours", "Maximum delay."),
        .duration(
            "starvation_deadline", \.starvationDeadline, .zero ... .days(366),
            origin: "Apple: two days", "[Power preference](#the-factors); 0s: none."),
        .duration(
            "pressure_patience", \.pressurePatience, .zero ... .days(7), origin: "ours",
            "Longer contention has no effect."),
        .duration(
            "usage_eligibility", \.usageEligibility, .zero ... .days(366),
            origin: "Apple: about two weeks",
            "From the last `open` until refreshes and processing stop; 0s: never."),
        .duration(
            "usage_lead", \.usageLead, .zero ... .days(1), origin: "ours",
            "From a refresh to the predicted use."),
        .duration(
            "usage_horizon", \.usageHorizon, .zero ... .days(7), origin: "ours",
            "From the last refresh, longest wait for a use."),
        .count(
            "usage_minimum", \.usageMinimum, 1...10_000, origin: "ours", "Uses before predictions."),
        .count(
            "catch_up_limit", \.catchUpLimit, 1...10_000, origin: "ours",
            "Missed periods for `catch_up: all`."),
        .duration(
            "grace", \.grace, .zero ... .hours(1), origin: "ours; Apple: as short as possible",
            "Expiration to SIGTERM, by default."),
        .duration(
            "grace_maximum", \.graceMaximum, .zero ... .hours(1), origin: "ours", "Of a task."),
        .duration(
            "termination_wait", \.terminationWait, .zero ... .minutes(5), origin: "ours",
            "SIGTERM to SIGKILL."),
        .percentage(
            "low_battery", \.lowBatteryPercent, origin: "Apple: 20%",
            "`battery: not-low` fails below."),
        .percentage(
            "low_battery_margin", \.lowBatteryMargin, origin: "ours",
            "A low battery ends above the limit by this.", before: 0),
        .duration(
            "power_gained_after", \.powerSettle.gained, .zero ... .hours(1), origin: "ours",
            "Until external power counts."),
        .duration(
            "power_lost_after", \.powerSettle.lost, .zero ... .hours(1), origin: "ours",
            "Until its absence counts."),
        .duration(
            "network_gained_after", \.networkSettle.gained, .zero ... .hours(1), origin: "ours",
            "Until the network, or an unmetered one, counts."),
        .duration(
            "network_lost_after", \.networkSettle.lost, .zero ... .hours(1), origin: "ours",
            "Until its absence counts; metering counts at once."),
        .duration(
            "idle_gained_after", \.idleSettle.gained, .zero ... .hours(1), origin: "ours",
            "Until idleness counts, after [its source's delay](device.md#idle)."),
        .duration(
            "idle_lost_after", \.idleSettle.lost, .zero ... .hours(1), origin: "ours",
            "Until use counts."),
        .count(
            "warm_workers", \.warmWorkers, 0...256, origin: "ours",
            "Idle workers per plugin and environment."),
        .duration(
            "warm_idle", \.warmIdle, .zero ... .days(7), origin: "ours",
            "Until an idle worker ends."),
        .duration(
            "shortage_wait", \.shortageWait, .milliseconds(10) ... .minutes(1), origin: "ours",
            "Delay of launches without resources for a worker; it doubles."),
        .duration(
            "shortage_wait_maximum", \.shortageWaitMaximum, .milliseconds(10) ... .hours(1),
            origin: "ours", "Maximum delay."),
        .duration(
            "store_wait", \.storeWait, .zero ... .hours(1), origin: "ours",
            "A host waits for another writer of its store, then ends; at most 5 seconds once told to end."
        ),
        .count(
            "interruption_limit", \.interruptionLimit, 0...1000, origin: "ours",
            "Requeues of a request after its host died."),
        .duration(
            "changes_settle", \.changesSettle, .zero ... .minutes(10), origin: "ours",
            "A `path` must stay unchanged, for at most ten times this."),
        .count(
            "output_lines", \.outputLines, 0...1_000_000, origin: "ours",
            "Lines kept of an attempt, from both ends."),
        .size(
            "output_line_size", \.outputLineBytes, 64...1 << 20, origin: "ours", "Kept of a line."),
        .count(
            "kept_attempts", \.keptAttempts, 1...1_000_000, origin: "ours",
            "History of an identifier, at any age."),
        .duration(
            "kept_for", \.keptFor, .zero ... .days(3650), origin: "ours",
            "History of older attempts and events."),
        .sizeOrNone(
            "journal_size", \.journalBytes, 1 << 16...1 << 30, origin: "ours",
            "[Journal](operations.md#the-journal); 0B: none."),
        .count(
            "transfer_parallel", \.transferParallel, 1...1_000, origin: "ours",
            "[Transfers](transfers.md) at once."),
        .count(
            "transfer_connections", \.transferConnections, 1...64,
            origin: "ours; Apple: httpMaximumConnectionsPerHost", "To one host."),
        .sizeOrNone(
            "transfer_metered_budget", \.transferMeteredBytes, 1 << 10...1 << 50, origin: "ours",
            "Transferred on metered networks; 0B: no limit."),
        .duration(
            "transfer_metered_period", \.transferMeteredPeriod, .minutes(1) ... .days(366),
            origin: "ours", "Its period."),
        .size("transfer_size", \.transferSize, 1 << 10...1 << 50, origin: "ours", "Download."),
        .count(
            "kept_downloads", \.keptDownloads, 0...10_000, origin: "ours",
            "[Kept](transfers.md#files), each for `kept_for`."),
    ]

    private static let hints: [String: String] = [
        "pending_app_refresh": "Pending app-refresh requests",
        "pending_processing": "Pending processing requests",
        "pending_push": "Pending push requests",
        "pending_continued": "Pending continued requests",
        "pending_transfer": "Pending transfer requests",
        "concurrent_app_refresh": "App-refresh attempts at once",
        "concurrent_processing": "Processing attempts at once",
        "concurrent_push": "Push attempts at once",
        "concurrent_transfer": "Transfer attempts at once",
        "concurrent_continued": "Continued attempts at once",
        "app_refresh_limit": "The time of an app-refresh attempt without `expiration: after`",
        "processing_limit": "The time of a processing attempt without `expiration: after`",
        "push_limit": "The time of a push attempt without `expiration: after`",
        "continued_limit": "The time of a continued attempt without `expiration: after`",
        "transfer_limit": "The time of a transfer attempt without `expiration: after`",
        "stall_warning": "Time without progress until the log warns of a continued attempt",
        "stall_limit": "Time without progress until a continued attempt expires as stalled",
        "app_refresh_spacing": "Minimum time between launches of an app-refresh task",
        "push_spacing": "Minimum time between launches of a push task",
        "push_hourly": "Launches of a push task in any hour; 0: no limit",
        "processing_needs_idle": "Whether processing waits while a person uses the device",
        "budget_period": "The time in which a spent budget returns",
        "missed_completion_penalty": "Delay of the next launch after a missed completion",
        "missed_completion_maximum": "Maximum delay after missed completions",
        "starvation_deadline":
            "How long processing without `power: external` prefers external power",
        "grace_maximum": "Maximum grace of a task",
        "network_lost_after": "Time until a lost network counts; metering counts at once",
        "power_lost_after": "Time until lost external power counts",
        "shortage_wait_maximum": "Maximum delay of launches without resources for a worker",
        "output_line_size": "Bytes kept of a line of output",
        "transfer_connections": "Connections of transfers to one host",
        "transfer_metered_period": "The period of `transfer_metered_budget`",
        "transfer_size": "Maximum size of a download",
        "kept_downloads": "Downloads that no app has moved and that are kept",
        "journal_size": "Size of the journal; 0B: none",
    ]

    /// Its value in `policy`, as a manifest would write it.
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

    /// The unit it is counted in; a count and a truth value have none.
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

    /// Sets the value returned by `value(in:)`, regardless of the setting's range. Negative values,
    /// percentages over 100 and counts whose sums could overflow are clamped.
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

    /// What the reader, the JSON Schema and the table of Docs/manifest.md make of it.
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
        _ name: String, _ field: Field, _ origin: String, _ meaning: String, _ before: Int64? = nil
    ) {
        self.name = name
        self.field = field
        self.origin = origin
        self.meaning = meaning
        self.before = before
    }

    private static func count(
        _ name: String, _ path: CountPath, _ range: ClosedRange<Int>, origin: String,
        _ meaning: String
    ) -> PolicySetting {
        PolicySetting(name, .count(path, range), origin, meaning)
    }

    private static func duration(
        _ name: String, _ path: IntervalPath, _ range: ClosedRange<Interval>, origin: String,
        _ meaning: String, before: Int64? = nil
    ) -> PolicySetting {
        PolicySetting(name, .duration(path, range), origin, meaning, before)
    }

    private static func size(
        _ name: String, _ path: CountPath, _ range: ClosedRange<Int64>, origin: String,
        _ meaning: String
    ) -> PolicySetting {
        PolicySetting(name, .size(path, range), origin, meaning)
    }

    private static func sizeOrNone(
        _ name: String, _ path: CountPath, _ range: ClosedRange<Int64>, origin: String,
        _ meaning: String
    ) -> PolicySetting {
        PolicySetting(name, .sizeOrNone(path, range), origin, meaning)
    }

    private static func percentage(
        _ name: String, _ path: CountPath, origin: String, _ meaning: String, before: Int64? = nil
    ) -> PolicySetting {
        PolicySetting(name, .percentage(path), origin, meaning, before)
    }

    private static func flag(
        _ name: String, _ path: FlagPath, origin: String, _ meaning: String, before: Int64? = nil
    ) -> PolicySetting {
        PolicySetting(name, .flag(path), origin, meaning, before)
    }
}
