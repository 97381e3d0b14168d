// SPDX-License-Identifier: Apache-2.0

/// The declaration of one identifier in a manifest, or of all identifiers that match a trailing wildcard.
package struct TaskDeclaration: Equatable, Sendable {
    /// An identifier, or a prefix with a trailing `.*`.
    package var identifier: String
    package var kind: TaskKind
    package var requires: Conditions
    /// The shortest delay before a launch, from submission; zero for none.
    package var earliest: Interval
    /// When it is launched repeatedly; nil for a task without a schedule.
    package var schedule: Schedule?
    /// The time after which an occurrence of a calendar that was not launched is skipped; nil: it waits.
    package var startDeadline: Interval?
    /// Further events that submit a request.
    package var triggers: Triggers
    package var submission: Submission
    /// The time limit of an attempt; nil for the policy's limit of the kind.
    package var timeLimit: Interval?
    /// The time from telling the handler to SIGTERM; nil for the policy's grace.
    package var grace: Interval?
    package var retry: RetryRule?
    package var overlap: Overlap
    /// How periods without a launch are made up for.
    package var catchUp: CatchUp
    /// Each periodic launch is delayed by a random part of this.
    package var jitter: Interval
    /// Tasks of one group share its limit; nil for none.
    package var group: Group?
    /// The handling of a continued request that cannot start at once.
    package var strategy: Strategy
    /// The annotations of each of its requests.
    package var annotations: Annotations

    /// Tasks with a common limit of running attempts: those of a plugin that keeps state in memory.
    package struct Group: Equatable, Sendable {
        package var name: String
        /// The maximum number of running attempts, at least 1.
        package var limit: Int

        package init(name: String, limit: Int) {
            self.name = name
            self.limit = limit
        }
    }

    /// Events that submit a request, also when one is pending or the task has a schedule.
    package struct Triggers: OptionSet, Equatable, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The host starts (cron: `@reboot`).
        package static let launch = Triggers(rawValue: 1)
        /// The machine wakes up from sleep.
        package static let resume = Triggers(rawValue: 2)
    }

    /// The submitter of the first request.
    package enum Submission: String, Sendable, CaseIterable {
        /// The host, when it starts, unless one is pending (Apple: apps submit at launch).
        case launch
        /// A person, a program or a handler.
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

/// How periods without a launch are made up for.
package enum CatchUp: String, Sendable, CaseIterable {
    /// They are lost: the next launch keeps the rhythm of the last one.
    case none
    /// One launch stands for all of them.
    case one
    /// Each is made up for, one after the other.
    case all
}

/// The handling of a continued request that cannot start at once (Apple: BGContinuedProcessingTaskRequest.strategy).
package enum Strategy: String, Sendable, CaseIterable {
    /// It is refused.
    case fail
    /// It starts as soon as possible.
    case queue
}

/// The handling of a request whose identifier is running already.
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

/// How a failed request is retried (Android: backoff policy).
package struct RetryRule: Equatable, Sendable {
    package enum Backoff: String, Sendable, CaseIterable {
        case linear
        case exponential
    }

    package var backoff: Backoff
    /// The delay after the first failure. Android: at least 10 s.
    package var from: Interval
    /// The longest delay. Android: 5 h.
    package var to: Interval
    /// The maximum number of attempts, including the first; nil for no limit.
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
