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
        .count("concurrent_attempts", \.concurrentAttempts, 1...1024),
        .duration("app_refresh_limit", \.appRefreshLimit, .seconds(1) ... .hours(1)),
        .duration("processing_limit", \.processingLimit, .seconds(1) ... .days(30)),
        .duration("push_limit", \.pushLimit, .seconds(1) ... .hours(1)),
        .duration("grace", \.grace, .zero ... .hours(1)),
        .duration("grace_maximum", \.graceMaximum, .zero ... .hours(1)),
        .duration("termination_wait", \.terminationWait, .zero ... .minutes(5)),
        PolicySetting(name: "low_battery", field: .percentage(\.lowBatteryPercent)),
        .duration("power_gained_after", \.powerSettle.gained, .zero ... .hours(1)),
        .duration("power_lost_after", \.powerSettle.lost, .zero ... .hours(1)),
        .duration("network_gained_after", \.networkSettle.gained, .zero ... .hours(1)),
        .duration("network_lost_after", \.networkSettle.lost, .zero ... .hours(1)),
        .duration("idle_gained_after", \.idleSettle.gained, .zero ... .hours(1)),
        .duration("idle_lost_after", \.idleSettle.lost, .zero ... .hours(1)),
        .count("warm_workers", \.warmWorkers, 0...256),
        .duration("warm_idle", \.warmIdle, .zero ... .days(7)),
        .count("interruption_limit", \.interruptionLimit, 0...1000),
        .count("output_lines", \.outputLines, 0...1_000_000),
        PolicySetting(
            name: "output_line_size", field: .size(\.outputLineBytes, 64...1 << 20)),
        .count("kept_attempts", \.keptAttempts, 1...1_000_000),
        .duration("kept_for", \.keptFor, .zero ... .days(3650)),
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
