// SPDX-License-Identifier: Apache-2.0

/// The running time that an app has spent, as of a date.
package struct BudgetAccount: Equatable, Sendable {
    package var spent = Interval.zero
    var at: WallTime?

    package init() {}

    /// Apple: budgets deplete with launches and refill over the day: evenly, a whole budget in one period.
    package func spent(policy: Policy, now: WallTime) -> Interval {
        guard let at, policy.budget > .zero else { return .zero }
        let passed = max(0, at.interval(until: now).milliseconds)
        let refill =
            passed.saturatingMultiplied(by: policy.budget.milliseconds)
            / max(1, policy.budgetPeriod.milliseconds)
        return spent.reduced(by: .milliseconds(refill))
    }

    /// The remaining budget, without a refill.
    package func left(policy: Policy, now: WallTime) -> Interval {
        policy.budget.reduced(by: spent(policy: policy, now: now))
    }

    mutating func charge(_ duration: Interval, policy: Policy, now: WallTime) {
        guard policy.budget > .zero else { return }
        let before = spent(policy: policy, now: now)
        spent = Interval(
            nanoseconds: before.nanoseconds.saturatingAdding(max(.zero, duration).nanoseconds))
        at = max(now, at ?? now)
    }

    /// A launch needs the time of a refresh, and as much for each of the running `spenders`; with power it needs none
    /// (Android).
    func verdict(
        policy: Policy, device: DeviceState, spenders: Int = 0, now: WallTime
    ) -> Decision {
        guard policy.budget > .zero, device.externalPower != .yes, let at else { return .satisfied }
        let reserve = min(
            policy.timeLimits.appRefresh.milliseconds.saturatingMultiplied(by: Int64(spenders) + 1),
            policy.budget.milliseconds)
        let excess = spent.milliseconds.saturatingSubtracting(
            policy.budget.milliseconds.saturatingSubtracting(reserve))
        guard excess > 0 else { return .satisfied }
        let wait =
            excess.saturatingMultiplied(by: policy.budgetPeriod.milliseconds)
            / max(1, policy.budget.milliseconds)
        return .blocked(until: at.advanced(by: .milliseconds(wait.saturatingAdding(1))), now: now)
    }
}
