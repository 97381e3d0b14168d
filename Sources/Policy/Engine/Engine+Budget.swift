// SPDX-License-Identifier: Apache-2.0

/// What running attempts spend of the app's budget: all the time they run without external power.
extension Engine {
    /// Whether attempts of the class spend the budget now.
    private func spends(_ requestClass: RequestClass) -> Bool {
        configuration.policy.budget > .zero && requestClass.applicable.contains(.budget)
            && device.externalPower != .yes
    }

    /// The attempts that spend the budget have changed: what was spent is charged, and each gets an equal part of the
    /// rest. The time of an attempt ends when its part does, or when it always would have.
    mutating func followBudget(at now: Instant, _ actions: inout [Action]) {
        guard configuration.policy.budget > .zero || spenders > 0 else { return }
        for index in running.indices where running[index].requestClass.applicable.contains(.budget)
        {
            charge(running[index], at: now, &actions)
            // After a late report: what was charged already, or launched since, is not charged again.
            let begin = max(
                now.elapsed, running[index].attempt.launched.elapsed,
                running[index].spendingSince ?? .min)
            running[index].spendingSince = spends(running[index].requestClass) ? begin : nil
        }
        let left = facts.budget.left(policy: configuration.policy, now: now.wall)
        let part = left.nanoseconds / Int64(max(1, spenders))
        for index in running.indices where running[index].requestClass.applicable.contains(.budget)
        {
            let end = running[index].attempt.deadlineElapsed
            guard let since = running[index].spendingSince else {
                running[index].grant(until: end, .time)
                continue
            }
            if !running[index].isForced {
                let spent = since.saturatingAdding(part)
                running[index].grant(until: min(end, spent), spent < end ? .quota : .time)
            }
        }
        refreshGate(at: now.wall)
    }

    /// Attempts that spend the budget now.
    var spenders: Int { running.count { $0.spendingSince != nil } }

    /// Charges what the attempt has spent since it was charged last; `followBudget` comes next.
    mutating func charge(_ attempt: RunningAttempt, at now: Instant, _ actions: inout [Action]) {
        guard let since = attempt.spendingSince, configuration.policy.budget > .zero else { return }
        let ran = Interval(nanoseconds: now.elapsed.saturatingSubtracting(since))
        facts.budget.charge(ran, policy: configuration.policy, now: now.wall)
        actions.append(.remember(facts.budgetFacts))
    }
}
