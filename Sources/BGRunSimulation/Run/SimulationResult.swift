// SPDX-License-Identifier: Apache-2.0

public import BGRunCore

/// What a pending request waits for.
public enum WaitState: Hashable, Sendable {
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
    public var text: String {
        switch self {
        case .notBefore: "its earliest date has not come"
        case .conditions(let missing): "waits for " + missing.names.joined(separator: ", ")
        case .other(let sentence): sentence
        }
    }
}

/// A stretch of a task's life, in nanoseconds after the scenario's beginning.
public struct Span: Hashable, Sendable {
    public var from: Int64
    public var to: Int64
    public var state: State

    public enum State: Hashable, Sendable {
        case waited(WaitState)
        case ran(attempt: Int64, Outcome)
        /// Still at the scenario's end.
        case runs(attempt: Int64)
    }
}

/// What became of the requests of one identifier. Times are nanoseconds.
public struct TaskTally: Hashable, Sendable {
    public let identifier: String
    /// Nil when no task of the manifest handles it.
    public let kind: TaskKind?
    /// Requests accepted; those a periodic task submits for itself included.
    public internal(set) var accepted = 0
    public internal(set) var replaced = 0
    public internal(set) var cancelled = 0
    public internal(set) var skipped = 0
    /// Dates of a calendar that were not launched in time.
    public internal(set) var missed = 0
    public internal(set) var retries = 0
    public internal(set) var requeues = 0
    public internal(set) var gaveUp = 0
    public internal(set) var launches = 0
    public internal(set) var completed = 0
    public internal(set) var failed = 0
    public internal(set) var expired: [StopReason: Int] = [:]
    /// By their message.
    public internal(set) var refusals: [String: Int] = [:]
    /// The instant of each launch.
    public internal(set) var launched: [Int64] = []
    /// From being pending to each launch.
    public internal(set) var delays: [Int64] = []
    /// From being due (pending, and its earliest date has come) to each launch.
    public internal(set) var waits: [Int64] = []
    public internal(set) var ranFor: Int64 = 0
    /// Time due and pending, by what was missing.
    public internal(set) var blocked: [String: Int64] = [:]
    /// Running at the scenario's end.
    public internal(set) var running = 0
    /// A request is pending at the scenario's end, and has been due since then.
    public internal(set) var pendingSince: Int64?
    public internal(set) var spans: [Span] = []

    init(identifier: String, kind: TaskKind?) {
        self.identifier = identifier
        self.kind = kind
    }

    public var refused: Int { refusals.values.reduce(0, +) }
    public var expirations: Int { expired.values.reduce(0, +) }

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
public struct SimulationResult: Sendable {
    public let scenario: Scenario
    public let seed: UInt64
    public let device: SimulatedDevice
    /// The beginning, in milliseconds since 1970 (UTC).
    public let originMilliseconds: Int64
    /// Declared identifiers in the order of the manifest, then others as they appeared.
    public let tallies: [TaskTally]
    /// In the order of the manifest.
    public let transfers: [TransferTally]
    public let marks: [Mark]
    /// Empty when the policy has no budget.
    public let budget: BudgetCurve
    /// The running time that may be spent; zero for no budget.
    public let budgetLimit: Interval
    /// Events the engine handled.
    public let events: Int
    /// Promises the engine broke; empty unless it has a bug.
    public let faults: [String]

    /// Something people did.
    public struct Mark: Hashable, Sendable {
        public var at: Int64
        public var text: String
    }

    /// What clocks in the scenario's zone show so long after its beginning.
    public func civil(at instant: Int64) -> CivilTime {
        let seconds = CivilTime.floorDivide(originMilliseconds, 1_000) + instant / 1_000_000_000
        return scenario.zone.civil(at: seconds)
    }
}
