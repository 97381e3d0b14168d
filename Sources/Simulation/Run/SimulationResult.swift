// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// What a pending request waits for.
package enum WaitState: Hashable, Sendable {
    /// Its earliest date.
    case notBefore
    /// These conditions of the device.
    case conditions(Conditions)
    /// Something else, in words.
    case other(String)

    /// The names under which the time is counted; none while its date has not come.
    var blockers: [String] {
        switch self {
        case .notBefore: []
        case .conditions(let missing): missing.names
        case .other(let sentence): [sentence]
        }
    }

    /// One sentence for people.
    var text: String {
        switch self {
        case .notBefore: "its earliest date has not come"
        case .conditions(let missing): "waits for " + missing.names.joined(separator: ", ")
        case .other(let sentence): sentence
        }
    }
}

/// A stretch of a task's life, in nanoseconds after the scenario's beginning.
package struct Span: Hashable, Sendable {
    package var from: Int64
    package var to: Int64
    package var state: State

    package enum State: Hashable, Sendable {
        case waited(WaitState)
        case ran(attempt: Int64, Outcome)
        /// Still at the scenario's end.
        case runs(attempt: Int64)
    }
}

/// What became of the requests of one identifier. Times are nanoseconds.
package struct TaskTally: Hashable, Sendable {
    package let identifier: String
    /// Nil when no task of the manifest handles it.
    let kind: TaskKind?
    /// Requests accepted; those a periodic task submits for itself included.
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
    /// By their message.
    package internal(set) var refusals: [String: Int] = [:]
    /// The instant of each launch.
    package internal(set) var launched: [Int64] = []
    /// From being pending to each launch.
    package internal(set) var delays: [Int64] = []
    /// From being due (pending, and its earliest date has come) to each launch.
    package internal(set) var waits: [Int64] = []
    package internal(set) var ranFor: Int64 = 0
    /// Time due and pending, by what was missing.
    package internal(set) var blocked: [String: Int64] = [:]
    /// Running at the scenario's end.
    package internal(set) var running = 0
    /// A request is pending at the scenario's end, and has been due since then.
    var pendingSince: Int64?
    package internal(set) var spans: [Span] = []

    package var refused: Int { refusals.values.reduce(0, +) }
    package var expirations: Int { expired.values.reduce(0, +) }

    mutating func count(_ outcome: Outcome, ran: Int64) {
        ranFor += ran
        switch outcome {
        case .completed: completed += 1
        case .expired(let reason, _): expired[reason, default: 0] += 1
        default: failed += 1
        }
    }
}

/// One run of one scenario.
package struct SimulationResult: Sendable {
    let scenario: Scenario
    package let seed: UInt64
    let device: SimulatedDevice
    /// The beginning, in milliseconds since 1970 (UTC).
    let originMilliseconds: Int64
    /// Declared identifiers in the order of the manifest, then others as they appeared.
    package let tallies: [TaskTally]
    /// In the order of the manifest.
    package let transfers: [TransferTally]
    let marks: [Mark]
    /// Empty when the policy has no budget.
    package let budget: BudgetCurve
    /// The running time that may be spent; zero for no budget.
    let budgetLimit: Interval
    /// Events the engine handled.
    let events: Int
    /// Promises the engine broke; empty unless it has a bug.
    package let faults: [String]

    /// Something people did.
    struct Mark: Hashable, Sendable {
        var at: Int64
        var text: String
    }

    /// What clocks in the scenario's zone show so long after its beginning.
    func civil(at instant: Int64) -> CivilTime {
        let seconds = CivilTime.floorDivide(originMilliseconds, 1_000) + instant / 1_000_000_000
        return scenario.zone.civil(at: seconds)
    }
}
