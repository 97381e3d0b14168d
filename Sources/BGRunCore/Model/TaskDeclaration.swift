// SPDX-License-Identifier: Apache-2.0

/// What a manifest says about one identifier, or about all that a trailing wildcard matches.
public struct TaskDeclaration: Hashable, Sendable {
    /// An identifier, or a prefix with a trailing `.*`.
    public var identifier: String
    public var kind: TaskKind
    public var requires: Conditions
    /// The shortest delay before a launch, from submission; zero for none.
    public var earliest: Interval
    /// When it is launched again and again; nil for a task that is not.
    public var schedule: Schedule?
    /// An occurrence of a calendar that was not launched for so long is skipped; nil: it waits.
    public var startDeadline: Interval?
    /// What else submits a request.
    public var triggers: Triggers
    public var submission: Submission
    /// The time an attempt is granted; nil for the policy's limit of the kind.
    public var timeLimit: Interval?
    /// From telling the handler to SIGTERM; nil for the policy's grace.
    public var grace: Interval?
    public var retry: RetryRule?
    public var overlap: Overlap
    /// What becomes of the periods in which nothing could be launched.
    public var catchUp: CatchUp
    /// Each periodic launch is put off by a random part of this.
    public var jitter: Interval
    /// Tasks of one group share its limit; nil for none.
    public var group: Group?
    /// What becomes of a continued request that cannot start at once.
    public var strategy: Strategy

    /// Tasks that may run only so many at a time: those of a plugin that keeps state in memory.
    public struct Group: Hashable, Sendable {
        public var name: String
        /// Attempts at the same time, at least 1.
        public var limit: Int

        public init(name: String, limit: Int) {
            self.name = name
            self.limit = limit
        }
    }

    /// Happenings that submit a request, also when one is pending or the task has a schedule.
    public struct Triggers: OptionSet, Hashable, Sendable {
        public let rawValue: UInt8

        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The host starts (cron: `@reboot`).
        public static let launch = Triggers(rawValue: 1)
        /// The machine has slept and is awake again.
        public static let resume = Triggers(rawValue: 2)
    }

    /// What submits the first request.
    public enum Submission: String, Sendable, CaseIterable {
        /// The host does when it starts, unless one is pending (Apple: apps submit at launch).
        case launch
        /// A person, a program or a handler does.
        case manual
    }

    public init(
        identifier: String, kind: TaskKind, requires: Conditions = [], earliest: Interval = .zero,
        schedule: Schedule? = nil, submission: Submission = .launch, timeLimit: Interval? = nil,
        grace: Interval? = nil, retry: RetryRule? = nil, overlap: Overlap = .queue,
        catchUp: CatchUp = .one, jitter: Interval = .zero, group: Group? = nil,
        strategy: Strategy = .queue, startDeadline: Interval? = nil, triggers: Triggers = []
    ) {
        self.identifier = identifier
        self.kind = kind
        self.requires = requires
        self.earliest = earliest
        self.schedule = schedule
        self.submission = submission
        self.timeLimit = timeLimit
        self.grace = grace
        self.retry = retry
        self.overlap = overlap
        self.catchUp = catchUp
        self.jitter = jitter
        self.group = group
        self.strategy = strategy
        self.startDeadline = startDeadline
        self.triggers = triggers
    }
}

/// What becomes of periods that passed without a launch.
public enum CatchUp: String, Sendable, CaseIterable {
    /// They are lost: the next launch is in the rhythm of the last one.
    case none
    /// One launch stands for all of them.
    case one
    /// Each is made up for, one after the other.
    case all
}

/// What becomes of a continued request that cannot start at once (Apple:
/// BGContinuedProcessingTaskRequest.strategy).
public enum Strategy: String, Sendable, CaseIterable {
    /// It is refused.
    case fail
    /// It starts as soon as possible.
    case queue
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
