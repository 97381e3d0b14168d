// SPDX-License-Identifier: Apache-2.0

/// What running attempts spend of the app's budget: all the time they run without external power.
extension Engine {
    /// Whether attempts of the lane spend the budget now.
    private func spends(_ lane: Lane) -> Bool {
        configuration.policy.budget > .zero && lane.applicable.contains(.budget)
            && device.externalPower != .yes
    }

    /// The time an attempt may have in all.
    func timeLimit(of task: Int) -> Interval {
        tasks[task].declaration.timeLimit
            ?? configuration.policy.timeLimit(for: tasks[task].declaration.kind)
    }

    /// From now on the attempt spends the budget, or does not: its time ends when the budget does, or
    /// when it always would have.
    mutating func followBudget(_ index: Int, at now: Instant) {
        let end = running[index].attempt.deadlineElapsed
        guard spends(running[index].lane) else {
            running[index].spendingSince = nil
            return running[index].grant(until: end, .time)
        }
        running[index].spendingSince = now.elapsed
        guard !running[index].isForced else { return }
        let left = facts.budget.left(policy: configuration.policy, now: now.wall)
        let spent = now.elapsed.saturatingAdding(left.nanoseconds)
        running[index].grant(until: min(end, spent), spent < end ? .quota : .time)
    }

    /// Power came or went: what was spent until now is charged, and attempts have other ends.
    mutating func followPower(at now: Instant, _ actions: inout [Action]) {
        guard configuration.policy.budget > .zero else { return }
        for index in running.indices where running[index].lane.applicable.contains(.budget) {
            charge(running[index], at: now, &actions)
            followBudget(index, at: now)
        }
    }

    /// Charges what the attempt has spent since it was charged last.
    mutating func charge(
        _ attempt: RunningAttempt, at now: Instant, _ actions: inout [Action]
    ) {
        guard let since = attempt.spendingSince, configuration.policy.budget > .zero else { return }
        let ran = Interval(nanoseconds: now.elapsed.saturatingSubtracting(since))
        facts.budget.charge(ran, policy: configuration.policy, now: now.wall)
        refreshGate(at: now.wall)
        actions.append(.remember(facts.budgetFacts))
    }
}
