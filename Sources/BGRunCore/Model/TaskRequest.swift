// SPDX-License-Identifier: Apache-2.0

/// A pending wish to run an identifier. There is at most one per identifier (Apple: "replaces").
public struct TaskRequest: Hashable, Sendable {
    /// Rises with every accepted request and is never used again; ties are broken by it.
    public var id: Int64
    public var identifier: String
    public var kind: TaskKind
    public var submitted: WallTime
    /// Not before this date; nil for no delay (Apple: earliestBeginDate).
    public var earliest: WallTime?
    /// From when on the one it replaced has waited, when that one was due; nil otherwise.
    public var waitingSince: WallTime?
    /// A JSON object laid over the task's parameters. Opaque to the core.
    public var parameters: String?
    /// Attempts that have failed so far.
    public var failures: Int
    /// Times the host died while this request was running.
    public var interruptions: Int

    public init(
        id: Int64, identifier: String, kind: TaskKind, submitted: WallTime,
        earliest: WallTime? = nil, waitingSince: WallTime? = nil, parameters: String? = nil,
        failures: Int = 0, interruptions: Int = 0
    ) {
        self.id = id
        self.identifier = identifier
        self.kind = kind
        self.submitted = submitted
        self.earliest = earliest
        self.waitingSince = waitingSince
        self.parameters = parameters
        self.failures = failures
        self.interruptions = interruptions
    }

    /// From when on it has waited for anything but its date.
    public var since: WallTime {
        waitingSince ?? max(earliest ?? submitted, submitted)
    }

    /// It replaces `old`. Who asks again does not lose the time he has waited. Apple: a continued
    /// request has no earliest date.
    public mutating func follow(_ old: TaskRequest?, now: WallTime) {
        if kind == .continued { earliest = nil }
        if let old, old.since <= now { waitingSince = old.since }
    }

    /// The clock was set back to `now`, before it was submitted: its dates go along.
    mutating func shift(backTo now: WallTime) {
        let back = submitted.interval(until: now)
        submitted = now
        earliest = earliest?.advanced(by: back)
        waitingSince = waitingSince.map { min($0, now) }
    }

    /// The request that `submission` makes under `declaration`.
    public init(
        id: Int64, _ submission: Submission, _ declaration: TaskDeclaration, now: WallTime
    ) {
        let delay = submission.delay ?? declaration.earliest
        self.init(
            id: id, identifier: submission.identifier, kind: declaration.kind, submitted: now,
            earliest: delay > .zero ? now.advanced(by: delay) : nil,
            parameters: submission.parameters)
    }
}
