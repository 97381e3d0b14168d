// SPDX-License-Identifier: Apache-2.0

/// What a manifest says about one identifier, or about all that a trailing wildcard matches.
public struct TaskDeclaration: Hashable, Sendable {
    /// An identifier, or a prefix with a trailing `.*`.
    public var identifier: String
    public var kind: TaskKind
    public var requires: Conditions
    /// The shortest delay before a launch, from submission; zero for none.
    public var earliest: Interval
    /// The spacing of launches of a periodic task, measured from one launch to the next.
    public var every: Interval?
    public var submission: Submission
    /// The time an attempt is granted; nil for the policy's limit of the kind.
    public var timeLimit: Interval?
    /// From telling the handler to SIGTERM; nil for the policy's grace.
    public var grace: Interval?
    public var retry: RetryRule?
    public var overlap: Overlap

    /// Who submits the first request.
    public enum Submission: String, Sendable, CaseIterable {
        /// The host does when it starts, unless one is pending (Apple: apps submit at launch).
        case launch
        /// A person, a program or a handler does.
        case manual
    }

    public init(
        identifier: String, kind: TaskKind, requires: Conditions = [], earliest: Interval = .zero,
        every: Interval? = nil, submission: Submission = .launch, timeLimit: Interval? = nil,
        grace: Interval? = nil, retry: RetryRule? = nil, overlap: Overlap = .queue
    ) {
        self.identifier = identifier
        self.kind = kind
        self.requires = requires
        self.earliest = earliest
        self.every = every
        self.submission = submission
        self.timeLimit = timeLimit
        self.grace = grace
        self.retry = retry
        self.overlap = overlap
    }
}

/// What becomes of a request whose identifier is running already.
public enum Overlap: String, Sendable, CaseIterable {
    /// The new request is refused.
    case skip
    /// The new request waits for the running attempt to end (Apple).
    case queue
    /// The running attempt is killed without grace, then the new request is launched.
    case replace
    /// The running attempt is expired with its grace, then the new request is launched.
    case expireOld = "expire-old"
}

/// How a request that failed is tried again (Android: backoff policy).
public struct RetryRule: Hashable, Sendable {
    public enum Backoff: String, Sendable, CaseIterable {
        case linear
        case exponential
    }

    public var backoff: Backoff
    /// The delay after the first failure. Android: at least 10 s.
    public var from: Interval
    /// The longest delay. Android: 5 h.
    public var to: Interval
    /// Attempts in all, the first included; nil for no limit.
    public var attempts: Int?

    public init(
        backoff: Backoff = .exponential, from: Interval = .seconds(30), to: Interval = .hours(5),
        attempts: Int? = nil
    ) {
        self.backoff = backoff
        self.from = from
        self.to = to
        self.attempts = attempts
    }
}
