// SPDX-License-Identifier: Apache-2.0

extension AppFacts {
    /// Apple: refreshes and processing need an app that was opened in the past two weeks. An app
    /// that nobody ever opened here is not held to that: its use is unknown.
    public func appUsageVerdict(policy: Policy, now: WallTime) -> Verdict {
        guard policy.usageEligibility > .zero, let lastForeground else { return .satisfied }
        return now <= lastForeground.advanced(by: policy.usageEligibility)
            ? .satisfied : .blocked(until: nil)
    }
}
