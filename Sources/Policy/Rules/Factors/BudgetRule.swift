// SPDX-License-Identifier: Apache-2.0

/// The running time an app has spent, as of a date.
package struct BudgetAccount: Hashable, Sendable {
    package var spent: Interval
    package var at: WallTime?

    package init(spent: Interval = .zero, at: WallTime? = nil) {
        self.spent = spent
        self.at = at
    }

    /// Apple: budgets deplete with launches and refill over the day. What was spent comes back evenly,
    /// a whole budget in one period.
    package func spent(policy: Policy, now: WallTime) -> Interval {
        guard let at, policy.budget > .zero else { return .zero }
        let passed = max(0, at.interval(until: now).milliseconds)
        let refill =
            passed.saturatingMultiplied(by: policy.budget.milliseconds)
            / max(1, policy.budgetPeriod.milliseconds)
        return max(
            .zero,
            Interval(
                nanoseconds: spent.nanoseconds.saturatingSubtracting(
                    Interval.milliseconds(refill).nanoseconds)))
    }

    /// What may be spent yet, were nothing to come back.
    package func left(policy: Policy, now: WallTime) -> Interval {
        let spent = spent(policy: policy, now: now)
        return Interval(
            nanoseconds: max(0, policy.budget.nanoseconds.saturatingSubtracting(spent.nanoseconds)))
    }

    /// Charges an attempt that ran for `duration`.
    package mutating func charge(_ duration: Interval, policy: Policy, now: WallTime) {
        guard policy.budget > .zero else { return }
        let before = spent(policy: policy, now: now)
        spent = Interval(
            nanoseconds: before.nanoseconds.saturatingAdding(max(.zero, duration).nanoseconds))
        at = max(now, at ?? now)
    }

    /// A launch needs as much as a refresh may take, besides the same for each of the `spenders` that run.
    /// On external power nothing is held back (Android: quotas are lifted while charging).
    package func verdict(
        policy: Policy, device: DeviceState, spenders: Int = 0, now: WallTime
    ) -> Decision {
        guard policy.budget > .zero, device.externalPower != .yes, let at else { return .satisfied }
        let reserve = min(
            policy.appRefreshLimit.milliseconds.saturatingMultiplied(by: Int64(spenders) + 1),
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
