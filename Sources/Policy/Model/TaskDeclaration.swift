// SPDX-License-Identifier: Apache-2.0

/// What a manifest says about one identifier, or about all that a trailing wildcard matches.
package struct TaskDeclaration: Hashable, Sendable {
    /// An identifier, or a prefix with a trailing `.*`.
    package var identifier: String
    package var kind: TaskKind
    package var requires: Conditions
    /// The shortest delay before a launch, from submission; zero for none.
    package var earliest: Interval
    /// When it is launched again and again; nil for a task that is not.
    package var schedule: Schedule?
    /// An occurrence of a calendar that was not launched for so long is skipped; nil: it waits.
    package var startDeadline: Interval?
    /// What else submits a request.
    package var triggers: Triggers
    package var submission: Submission
    /// The time an attempt is granted; nil for the policy's limit of the kind.
    package var timeLimit: Interval?
    /// From telling the handler to SIGTERM; nil for the policy's grace.
    package var grace: Interval?
    package var retry: RetryRule?
    package var overlap: Overlap
    /// What becomes of the periods in which nothing could be launched.
    package var catchUp: CatchUp
    /// Each periodic launch is put off by a random part of this.
    package var jitter: Interval
    /// Tasks of one group share its limit; nil for none.
    package var group: Group?
    /// What becomes of a continued request that cannot start at once.
    package var strategy: Strategy
    /// What each of its requests carries.
    package var annotations: Annotations

    /// Tasks that may run only so many at a time: those of a plugin that keeps state in memory.
    package struct Group: Hashable, Sendable {
        package var name: String
        /// Attempts at the same time, at least 1.
        package var limit: Int

        package init(name: String, limit: Int) {
            self.name = name
            self.limit = limit
        }
    }

    /// Happenings that submit a request, also when one is pending or the task has a schedule.
    package struct Triggers: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The host starts (cron: `@reboot`).
        package static let launch = Triggers(rawValue: 1)
        /// The machine has slept and is awake again.
        package static let resume = Triggers(rawValue: 2)
    }

    /// What submits the first request.
    package enum Submission: String, Sendable, CaseIterable {
        /// The host does when it starts, unless one is pending (Apple: apps submit at launch).
        case launch
        /// A person, a program or a handler does.
        case manual
    }

    package init(
        identifier: String, kind: TaskKind, requires: Conditions = [], earliest: Interval = .zero,
        schedule: Schedule? = nil, submission: Submission = .launch, timeLimit: Interval? = nil,
        grace: Interval? = nil, retry: RetryRule? = nil, overlap: Overlap = .queue,
        catchUp: CatchUp = .one, jitter: Interval = .zero, group: Group? = nil,
        strategy: Strategy = .queue, startDeadline: Interval? = nil, triggers: Triggers = [],
        annotations: Annotations = Annotations()
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
        self.annotations = annotations
    }
}

/// What becomes of periods that passed without a launch.
package enum CatchUp: String, Sendable, CaseIterable {
    /// They are lost: the next launch is in the rhythm of the last one.
    case none
    /// One launch stands for all of them.
    case one
    /// Each is made up for, one after the other.
    case all
}

/// What becomes of a continued request that cannot start at once (Apple: BGContinuedProcessingTaskRequest.strategy).
package enum Strategy: String, Sendable, CaseIterable {
    /// It is refused.
    case fail
    /// It starts as soon as possible.
    case queue
}

/// What becomes of a request whose identifier is running already.
package enum Overlap: String, Sendable, CaseIterable {
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
package struct RetryRule: Hashable, Sendable {
    package enum Backoff: String, Sendable, CaseIterable {
        case linear
        case exponential
    }

    package var backoff: Backoff
    /// The delay after the first failure. Android: at least 10 s.
    package var from: Interval
    /// The longest delay. Android: 5 h.
    package var to: Interval
    /// Attempts in all, the first included; nil for no limit.
    package var attempts: Int?

    package init(
        backoff: Backoff = .exponential, from: Interval = .seconds(30), to: Interval = .hours(5),
        attempts: Int? = nil
    ) {
        self.backoff = backoff
        self.from = from
        self.to = to
        self.attempts = attempts
    }
}
