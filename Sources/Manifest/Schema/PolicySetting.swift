// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// One number of the policy, as `policy:` of a manifest names it.
package struct PolicySetting: Sendable {
    /// The key.
    package let name: String
    /// Where its defaults come from: Apple, Android, or ours.
    package let origin: String
    let field: Field
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
            "pending_app_refresh", \.pendingAppRefresh, 1...10_000_000, origin: "Apple: 1"),
        .count(
            "pending_processing", \.pendingProcessing, 1...10_000_000, origin: "Apple: 10"),
        .count(
            "pending_push", \.pendingPush, 1...10_000_000, origin: "ours"),
        .count(
            "pending_continued", \.pendingContinued, 1...10_000_000, origin: "ours"),
        .count(
            "pending_transfer", \.pendingTransfer, 1...10_000_000, origin: "ours"),
        .count(
            "concurrent_attempts", \.concurrentAttempts, 1...1024, origin: "ours"),
        .count(
            "concurrent_app_refresh", \.concurrentAppRefresh, 1...1024, origin: "ours"),
        .count(
            "concurrent_processing", \.concurrentProcessing, 1...1024, origin: "ours"),
        .count(
            "concurrent_push", \.concurrentPush, 1...1024, origin: "ours"),
        .count(
            "concurrent_transfer", \.concurrentTransfer, 1...1024, origin: "ours"),
        .count(
            "concurrent_continued", \.concurrentContinued, 1...1024, origin: "ours"),
        .duration(
            "app_refresh_limit", \.appRefreshLimit, .seconds(1) ... .hours(1),
            origin: "Apple: about 30 seconds"),
        .duration(
            "processing_limit", \.processingLimit, .seconds(1) ... .days(30),
            origin: "Apple: minutes; Android: 10 minutes"),
        .duration(
            "push_limit", \.pushLimit, .seconds(1) ... .hours(1), origin: "Apple: about 30 seconds"),
        .duration(
            "continued_limit", \.continuedLimit, .seconds(1) ... .days(366),
            origin: "ours; Apple: no specific limit"),
        .duration(
            "transfer_limit", \.transferLimit, .seconds(1) ... .hours(1),
            origin: "Apple: about 30 seconds"),
        .duration(
            "stall_warning", \.stallWarning, .seconds(1) ... .days(1), origin: "ours"),
        .duration(
            "stall_limit", \.stallLimit, .seconds(1) ... .days(1),
            origin: "ours; seen with Apple: about 30 seconds"),
        .duration(
            "assertion_limit", \.assertionLimit, .zero ... .hours(1),
            origin: "Apple: about 30 seconds"),
        .duration(
            "app_refresh_spacing", \.appRefreshSpacing, .zero ... .days(30),
            origin: "Apple: 15 minutes"),
        .duration(
            "processing_spacing", \.processingSpacing, .zero ... .days(30), origin: "ours",
            before: 0),
        PolicySetting(
            name: "processing_needs_idle", origin: "Apple: only when the device is idle",
            field: .flag(\.processingNeedsIdle), before: 0),
        .duration(
            "push_spacing", \.pushSpacing, .zero ... .days(30), origin: "Apple: about 15 minutes"),
        .count(
            "push_hourly", \.pushHourly, 0...100, origin: "Apple: two or three"),
        .count("push_held", \.pushHeld, 1...10_000, origin: "ours"),
        .duration(
            "budget", \.budget, .zero ... .days(1), origin: "Android: 10 minutes"),
        .duration(
            "budget_period", \.budgetPeriod, .seconds(1) ... .days(30), origin: "Android: 12 hours"),
        .duration(
            "missed_completion_penalty", \.missedCompletionPenalty, .zero ... .days(1),
            origin: "ours; Apple gives no number"),
        .duration(
            "missed_completion_maximum", \.missedCompletionMaximum, .zero ... .days(30),
            origin: "ours"),
        .duration(
            "starvation_deadline", \.starvationDeadline, .zero ... .days(366),
            origin: "Apple: two days"),
        .duration("pressure_patience", \.pressurePatience, .zero ... .days(7), origin: "ours"),
        .duration(
            "usage_eligibility", \.usageEligibility, .zero ... .days(366),
            origin: "Apple: about two weeks"),
        .duration(
            "usage_lead", \.usageLead, .zero ... .days(1), origin: "ours"),
        .duration(
            "usage_horizon", \.usageHorizon, .zero ... .days(7), origin: "ours"),
        .count(
            "usage_minimum", \.usageMinimum, 1...10_000, origin: "ours"),
        .count(
            "catch_up_limit", \.catchUpLimit, 1...10_000, origin: "ours"),
        .duration(
            "grace", \.grace, .zero ... .hours(1), origin: "ours; Apple: as short as possible"),
        .duration(
            "grace_maximum", \.graceMaximum, .zero ... .hours(1), origin: "ours"),
        .duration(
            "termination_wait", \.terminationWait, .zero ... .minutes(5), origin: "ours"),
        PolicySetting(
            name: "low_battery", origin: "Apple: 20%", field: .percentage(\.lowBatteryPercent)),
        PolicySetting(
            name: "low_battery_margin", origin: "ours", field: .percentage(\.lowBatteryMargin),
            before: 0),
        .duration(
            "power_gained_after", \.powerSettle.gained, .zero ... .hours(1), origin: "ours"),
        .duration(
            "power_lost_after", \.powerSettle.lost, .zero ... .hours(1), origin: "ours"),
        .duration(
            "network_gained_after", \.networkSettle.gained, .zero ... .hours(1), origin: "ours"),
        .duration(
            "network_lost_after", \.networkSettle.lost, .zero ... .hours(1), origin: "ours"),
        .duration(
            "idle_gained_after", \.idleSettle.gained, .zero ... .hours(1), origin: "ours"),
        .duration(
            "idle_lost_after", \.idleSettle.lost, .zero ... .hours(1), origin: "ours"),
        .count(
            "warm_workers", \.warmWorkers, 0...256, origin: "ours"),
        .duration(
            "warm_idle", \.warmIdle, .zero ... .days(7), origin: "ours"),
        .duration(
            "shortage_wait", \.shortageWait, .milliseconds(10) ... .minutes(1), origin: "ours"),
        .duration(
            "shortage_wait_maximum", \.shortageWaitMaximum, .milliseconds(10) ... .hours(1),
            origin: "ours"),
        .duration("store_wait", \.storeWait, .zero ... .hours(1), origin: "ours"),
        .count(
            "interruption_limit", \.interruptionLimit, 0...1000, origin: "ours"),
        .duration(
            "changes_settle", \.changesSettle, .zero ... .minutes(10), origin: "ours"),
        .count(
            "output_lines", \.outputLines, 0...1_000_000, origin: "ours"),
        PolicySetting(
            name: "output_line_size", origin: "ours", field: .size(\.outputLineBytes, 64...1 << 20)),
        .count("kept_attempts", \.keptAttempts, 1...1_000_000, origin: "ours"),
        .duration("kept_for", \.keptFor, .zero ... .days(3650), origin: "ours"),
        PolicySetting(
            name: "journal_size", origin: "ours",
            field: .sizeOrNone(\.journalBytes, 1 << 16...1 << 30)),
        .count("transfer_parallel", \.transferParallel, 1...1_000, origin: "ours"),
        .count(
            "transfer_connections", \.transferConnections, 1...64,
            origin: "ours; Apple: httpMaximumConnectionsPerHost"),
        PolicySetting(
            name: "transfer_metered_budget", origin: "ours",
            field: .sizeOrNone(\.transferMeteredBytes, 1 << 10...1 << 50)),
        .duration(
            "transfer_metered_period", \.transferMeteredPeriod, .minutes(1) ... .days(366),
            origin: "ours"),
        PolicySetting(
            name: "transfer_size", origin: "ours", field: .size(\.transferSize, 1 << 10...1 << 50)),
        .count("kept_downloads", \.keptDownloads, 0...10_000, origin: "ours"),
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

    private static func count(
        _ name: String, _ path: CountPath, _ range: ClosedRange<Int>, origin: String
    ) -> PolicySetting {
        PolicySetting(name: name, origin: origin, field: .count(path, range))
    }

    private static func duration(
        _ name: String, _ path: IntervalPath,
        _ range: ClosedRange<Interval>, origin: String, before: Int64? = nil
    ) -> PolicySetting {
        PolicySetting(name: name, origin: origin, field: .duration(path, range), before: before)
    }
}
