// SPDX-License-Identifier: Apache-2.0

extension AppFacts {
    /// Apple: refreshes and processing require an app that was opened in the past two weeks; an app never opened
    /// passes, too.
    package func appUsageVerdict(policy: Policy, now: WallTime) -> Decision {
        guard policy.usageEligibility > .zero, let lastForeground else { return .satisfied }
        return now <= lastForeground.advanced(by: policy.usageEligibility)
            ? .satisfied : .blocked(until: nil)
    }
}
