// SPDX-License-Identifier: Apache-2.0

extension AppFacts {
    /// Apple: processing needs an app that was opened in the past two weeks. An app of which nobody
    /// ever said that it was opened is not held to that.
    public func appUsageVerdict(policy: Policy, now: WallTime) -> Verdict {
        guard policy.usageEligibility > .zero, let lastForeground else { return .satisfied }
        return now <= lastForeground.advanced(by: policy.usageEligibility)
            ? .satisfied : .blocked(until: nil)
    }
}
