// SPDX-License-Identifier: Apache-2.0

/// Charges running attempts to the app's budget: all the time they run without external power.
extension Engine {
    /// Whether attempts of the class now spend the budget.
    private func spends(_ requestClass: RequestClass) -> Bool {
        configuration.policy.budget > .zero && requestClass.applicable.contains(.budget)
            && device.externalPower != .yes
    }

    /// Called when the set of attempts that spend the budget changes: charges the time spent and divides the rest
    /// equally. An attempt's time ends with its part, or earlier at its own limit.
    mutating func followBudget(at now: Instant, _ actions: inout [Action]) {
        guard configuration.policy.budget > .zero || spenders > 0 else { return }
        for index in running.indices where running[index].requestClass.applicable.contains(.budget)
        {
            charge(running[index], at: now, &actions)
            // After a late report, do not charge again for time already charged, or for time before a launch since
            // then.
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

    /// The number of attempts that now spend the budget.
    var spenders: Int { running.count { $0.spendingSince != nil } }

    /// Charges the attempt for the time since its last charge. Call `followBudget` afterwards.
    mutating func charge(_ attempt: RunningAttempt, at now: Instant, _ actions: inout [Action]) {
        guard let since = attempt.spendingSince, configuration.policy.budget > .zero else { return }
        let ran = Interval(nanoseconds: now.elapsed.saturatingSubtracting(since))
        facts.budget.charge(ran, policy: configuration.policy, now: now.wall)
        actions.append(.remember(facts.budgetFacts))
    }
}
