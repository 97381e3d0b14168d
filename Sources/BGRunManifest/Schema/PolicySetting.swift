// SPDX-License-Identifier: Apache-2.0

public import BGRunCore

/// One number of the policy, as `policy:` of a manifest names it.
public struct PolicySetting: Sendable {
    /// The key.
    public let name: String
    let field: Field

    typealias CountPath = any WritableKeyPath<Policy, Int> & Sendable
    typealias IntervalPath = any WritableKeyPath<Policy, Interval> & Sendable

    enum Field: Sendable {
        case count(CountPath, ClosedRange<Int>)
        case duration(IntervalPath, ClosedRange<Interval>)
        /// Bytes.
        case size(CountPath, ClosedRange<Int64>)
        case percentage(CountPath)
    }

    /// Every number of the policy, in the order of Docs/manifest.md.
    public static let all: [PolicySetting] = [
        .count("pending_app_refresh", \.pendingAppRefresh, 1...10_000_000),
        .count("pending_processing", \.pendingProcessing, 1...10_000_000),
        .count("pending_push", \.pendingPush, 1...10_000_000),
        .count("pending_continued", \.pendingContinued, 1...10_000_000),
        .count("pending_transfer", \.pendingTransfer, 1...10_000_000),
        .count("concurrent_attempts", \.concurrentAttempts, 1...1024),
        .count("concurrent_app_refresh", \.concurrentAppRefresh, 1...1024),
        .count("concurrent_processing", \.concurrentProcessing, 1...1024),
        .count("concurrent_push", \.concurrentPush, 1...1024),
        .count("concurrent_transfer", \.concurrentTransfer, 1...1024),
        .count("concurrent_continued", \.concurrentContinued, 1...1024),
        .duration("app_refresh_limit", \.appRefreshLimit, .seconds(1) ... .hours(1)),
        .duration("processing_limit", \.processingLimit, .seconds(1) ... .days(30)),
        .duration("push_limit", \.pushLimit, .seconds(1) ... .hours(1)),
        .duration("continued_limit", \.continuedLimit, .seconds(1) ... .days(366)),
        .duration("transfer_limit", \.transferLimit, .seconds(1) ... .hours(1)),
        .duration("stall_warning", \.stallWarning, .seconds(1) ... .days(1)),
        .duration("stall_limit", \.stallLimit, .seconds(1) ... .days(1)),
        .duration("assertion_limit", \.assertionLimit, .zero ... .hours(1)),
        .duration("app_refresh_spacing", \.appRefreshSpacing, .zero ... .days(30)),
        .duration("push_spacing", \.pushSpacing, .zero ... .days(30)),
        .count("push_hourly", \.pushHourly, 1...10_000_000),
        .duration("budget", \.budget, .zero ... .days(1)),
        .duration("budget_period", \.budgetPeriod, .seconds(1) ... .days(30)),
        .duration("missed_completion_penalty", \.missedCompletionPenalty, .zero ... .days(1)),
        .duration("missed_completion_maximum", \.missedCompletionMaximum, .zero ... .days(30)),
        .duration("starvation_deadline", \.starvationDeadline, .zero ... .days(366)),
        .duration("usage_eligibility", \.usageEligibility, .zero ... .days(366)),
        .duration("usage_lead", \.usageLead, .zero ... .days(1)),
        .duration("usage_horizon", \.usageHorizon, .zero ... .days(7)),
        .count("usage_minimum", \.usageMinimum, 1...10_000),
        .count("catch_up_limit", \.catchUpLimit, 1...10_000),
        .duration("grace", \.grace, .zero ... .hours(1)),
        .duration("grace_maximum", \.graceMaximum, .zero ... .hours(1)),
        .duration("termination_wait", \.terminationWait, .zero ... .minutes(5)),
        PolicySetting(name: "low_battery", field: .percentage(\.lowBatteryPercent)),
        .count("warm_workers", \.warmWorkers, 0...256),
        .duration("warm_idle", \.warmIdle, .zero ... .days(7)),
        .count("interruption_limit", \.interruptionLimit, 0...1000),
        .count("output_lines", \.outputLines, 0...1_000_000),
        PolicySetting(
            name: "output_line_size", field: .size(\.outputLineBytes, 64...1 << 20)),
    ]

    /// Its value in `policy`, as a manifest would write it.
    public func text(in policy: Policy) -> String {
        switch field {
        case .count(let path, _): String(policy[keyPath: path])
        case .duration(let path, _): Quantity.text(policy[keyPath: path])
        case .size(let path, _): Quantity.text(bytes: Int64(policy[keyPath: path]))
        case .percentage(let path): "\(policy[keyPath: path])%"
        }
    }

    private static func count(
        _ name: String, _ path: CountPath, _ range: ClosedRange<Int>
    ) -> PolicySetting {
        PolicySetting(name: name, field: .count(path, range))
    }

    private static func duration(
        _ name: String, _ path: IntervalPath,
        _ range: ClosedRange<Interval>
    ) -> PolicySetting {
        PolicySetting(name: name, field: .duration(path, range))
    }
}
