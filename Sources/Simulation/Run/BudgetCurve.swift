// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// The spent running time over a run: it rises at the end of each charged attempt, and falls in between.
package struct BudgetCurve: Equatable, Sendable {
    package private(set) var points: [Point] = []
    private var account = BudgetAccount()
    /// The last change of the account.
    private var changed: Instant?

    package struct Point: Equatable, Sendable {
        /// Nanoseconds after the scenario's beginning.
        package var at: Int64
        package var spent: Interval
    }

    /// The maximum spent time, and its first instant; nil if nothing was ever spent.
    package var peak: Point? { points.max { ($0.spent, $1.at) < ($1.spent, $0.at) } }

    package func spent(at instant: Int64) -> Interval {
        guard let next = points.firstIndex(where: { $0.at > instant }) else {
            return points.last?.spent ?? .zero
        }
        guard next > 0 else { return .zero }
        let (left, right) = (points[next - 1], points[next])
        let length = right.at.saturatingSubtracting(left.at)
        let part = Double(instant.saturatingSubtracting(left.at)) / Double(length)
        let rise = right.spent.nanoseconds.saturatingSubtracting(left.spent.nanoseconds)
        return Interval(
            nanoseconds: left.spent.nanoseconds.saturatingAdding(
                Int64(clamping: part * Double(rise))))
    }

    /// Records the account after an event.
    mutating func note(_ account: BudgetAccount, policy: Policy, at now: Instant) {
        guard account != self.account else { return }
        fall(to: now, policy: policy)
        self.account = account
        changed = now
        add(now.elapsed, account.spent(policy: policy, now: now.wall))
    }

    mutating func finish(at end: Int64, policy: Policy) {
        guard let changed else { return }
        let passed = Interval(nanoseconds: end.saturatingSubtracting(changed.elapsed))
        fall(to: Instant(elapsed: end, wall: changed.wall.advanced(by: passed)), policy: policy)
    }

    /// Adds the time that was replenished since the last change.
    private mutating func fall(to now: Instant, policy: Policy) {
        guard let last = points.last else { return add(now.elapsed, .zero) }
        let spent = account.spent(policy: policy, now: now.wall)
        if spent == .zero, last.spent > .zero {
            let periods = Double(last.spent.nanoseconds) / Double(policy.budget.nanoseconds)
            let wait = Int64(clamping: periods * Double(policy.budgetPeriod.nanoseconds))
            add(min(now.elapsed, last.at.saturatingAdding(wait)), .zero)
        }
        add(now.elapsed, spent)
    }

    private mutating func add(_ instant: Int64, _ spent: Interval) {
        let point = Point(at: max(instant, points.last?.at ?? instant), spent: spent)
        if point != points.last { points.append(point) }
    }
}
