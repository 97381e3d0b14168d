// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// The reason why a pending request waits.
package enum WaitState: Equatable, Sendable {
    /// Its earliest date.
    case notBefore
    /// These conditions of the device.
    case conditions(Conditions)
    /// Another reason, in words.
    case other(String)

    /// The names under which the time is counted; empty before its date.
    package var blockers: [String] {
        switch self {
        case .notBefore: []
        case .conditions(let missing): missing.names
        case .other(let sentence): [sentence]
        }
    }
}

/// A part of a task's timeline, in nanoseconds after the scenario's beginning.
package struct Span: Equatable, Sendable {
    package var from: Int64
    package var to: Int64
    package var state: State

    package enum State: Equatable, Sendable {
        case waited(WaitState)
        case ran(attempt: Int64, Outcome)
        /// Still running at the scenario's end.
        case runs(attempt: Int64)
    }
}

/// The results of one identifier's requests. Times are nanoseconds.
package struct TaskTally: Equatable, Sendable {
    package let identifier: String
    /// Nil if no task of the manifest handles it.
    let kind: TaskKind?
    /// Accepted requests, including those that a periodic task submits for itself.
    package internal(set) var accepted = 0
    package internal(set) var replaced = 0
    var cancelled = 0
    var skipped = 0
    /// Dates of a calendar that were not launched in time.
    package internal(set) var missed = 0
    var retries = 0
    package internal(set) var requeues = 0
    package internal(set) var gaveUp = 0
    package internal(set) var launches = 0
    package internal(set) var completed = 0
    package internal(set) var failed = 0
    package internal(set) var expired: [StopReason: Int] = [:]
    /// By message.
    package internal(set) var refusals: [String: Int] = [:]
    /// The instant of each launch.
    package internal(set) var launched: [Int64] = []
    /// The times from becoming pending to each launch.
    package internal(set) var delays: [Int64] = []
    /// The times from becoming due (pending, and past its earliest date) to each launch.
    package internal(set) var waits: [Int64] = []
    package internal(set) var ranFor: Int64 = 0
    /// The time due and pending, by obstacle.
    package internal(set) var blocked: [String: Int64] = [:]
    /// Running at the scenario's end.
    package internal(set) var running = 0
    /// The time since which a request, pending at the scenario's end, has been due.
    var pendingSince: Int64?
    package internal(set) var spans: [Span] = []

    package var refused: Int { refusals.values.reduce(0, +) }
    package var expirations: Int { expired.values.saturatingSum }

    mutating func count(_ outcome: Outcome, ran: Int64) {
        ranFor = ranFor.saturatingAdding(ran)
        switch outcome {
        case .completed: completed += 1  // fits: events of one run
        case .expired(let reason, _): expired.countUp(reason)
        default: failed += 1
        }
    }
}

/// One run of one scenario.
package struct SimulationResult: Sendable {
    package let scenario: Scenario
    package let seed: UInt64
    package let device: SimulatedDevice
    /// The beginning, in milliseconds since 1970 (UTC).
    package let originMilliseconds: Int64
    /// Declared identifiers in the order of the manifest, then others in the order of appearance.
    package let tallies: [TaskTally]
    /// In the order of the manifest.
    package let transfers: [TransferTally]
    package let marks: [Mark]
    /// Empty without a budget in the policy.
    package let budget: BudgetCurve
    /// The running time that may be spent; zero without a budget.
    let budgetLimit: Interval
    /// Events the engine handled.
    let events: Int
    /// Violated guarantees of the engine; empty unless it has a bug.
    package let faults: [String]

    /// An event of a user.
    package struct Mark: Equatable, Sendable {
        /// Nanoseconds after the scenario's beginning.
        package var at: Int64
        package var text: String
    }

    /// The share of the budget while some of it is spent, as `4% of 10m`, rounded up and at most 100 %. Times are
    /// nanoseconds.
    package var budgetShares: [(from: Int64, to: Int64, share: String)] {
        let limit = budgetLimit.nanoseconds
        var shares: [(from: Int64, to: Int64, share: String)] = []
        for (left, right) in zip(budget.points, budget.points.dropFirst()) {
            let percent = percent(of: left.spent)
            let change = self.percent(of: right.spent) - percent
            let steps = max(1, abs(change))
            let length = right.at.saturatingSubtracting(left.at) / steps
            for step in 0..<steps where percent + step * change.signum() > 0 {
                // fits: at most `right`
                let from = left.at + step * length
                let share = "\(percent + step * change.signum())% of \(timeText(limit))"
                // fits: at most `right`
                shares.append((from, from + length, share))
            }
        }
        return shares
    }

    private func percent(of spent: Interval) -> Int64 {
        let limit = budgetLimit.nanoseconds
        return (min(spent.nanoseconds, limit) * 100 + limit - 1) / limit
    }

    /// The time that clocks in the scenario's zone show at `instant`, counted from its beginning.
    func civil(at instant: Int64) -> CivilTime {
        let seconds = CivilTime.floorDivide(originMilliseconds, 1_000) + instant / 1_000_000_000
        return scenario.zone.civil(at: seconds)
    }
}
