// SPDX-License-Identifier: Apache-2.0

/// What one task did in a span of time. Lengths are milliseconds, dates milliseconds since 1970.
public struct TaskReport: Codable, Hashable, Sendable {
    /// As the manifest declares it; a wildcard stands for all that it handles.
    public var identifier: String
    public var kind: String
    /// Whether the manifest declares it still.
    public var isDeclared: Bool

    /// Attempts that ended in the span.
    public var runs = 0
    public var completed = 0
    public var failed = 0
    public var expired = 0
    public var crashed = 0
    public var exited = 0
    public var refused = 0
    public var interrupted = 0
    /// Why attempts were expired, the most frequent first.
    public var expiredBy: [Count] = []
    /// Completed attempts, of those that completed or failed: revoked ones do not
    /// count. Nil without any.
    public var success: Double?
    /// What pushes have brought, by the words of `FetchResult`; nil when no attempt said.
    public var fetched: [Count]?
    /// Failures since the last attempt that completed.
    public var failuresInARow = 0

    /// From the date at which a request was due to its first launch.
    public var delay: Distribution?
    /// How long attempts ran.
    public var runTime: Distribution?
    /// The processor time of attempts; nil if unknown for all of them.
    public var processorTime: Distribution?
    /// What held requests back that were due, the longest first; of several requests at a time each
    /// counts. As far back as the journal tells.
    public var blockers: [Blocker] = []
    /// Occurrences that should have been, and those that were.
    public var promise: Promise?
    /// When its first request was submitted; nil: unknown.
    public var knownSince: Int64?
    /// Dates of its schedule that were skipped because it could not be launched in time; nil without any.
    public var missed: Missed?

    /// When the last attempt ended, and how.
    public var lastEnded: Int64?
    public var lastOutcome: String?
    /// A request that waits.
    public var pending: Waiting?

    public init(identifier: String, kind: String, isDeclared: Bool) {
        self.identifier = identifier
        self.kind = kind
        self.isDeclared = isDeclared
    }

    /// How often something occurred.
    public struct Count: Codable, Hashable, Sendable {
        public var name: String
        public var count: Int

        public init(_ name: String, _ count: Int) {
            self.name = name
            self.count = count
        }
    }

    /// For how long something held requests back.
    public struct Blocker: Codable, Hashable, Sendable {
        /// The word of `PendingReason.word`, or `no host`.
        public var name: String
        public var milliseconds: Int64

        public init(_ name: String, milliseconds: Int64) {
            self.name = name
            self.milliseconds = milliseconds
        }
    }

    /// What a schedule promises.
    public struct Promise: Codable, Hashable, Sendable {
        /// Occurrences since the task is known, within the span.
        public var expected: Int
        /// Requests of it that were launched, at most `expected`.
        public var kept: Int

        public init(expected: Int, kept: Int) {
            self.expected = expected
            self.kept = kept
        }
    }

    /// Dates that passed without a launch.
    public struct Missed: Codable, Hashable, Sendable {
        public var count: Int
        /// When the last one was skipped.
        public var last: Int64

        public init(count: Int, last: Int64) {
            self.count = count
            self.last = last
        }
    }

    /// The request of the task that is due the earliest.
    public struct Waiting: Codable, Hashable, Sendable {
        public var submitted: Int64
        /// From when on it may be launched.
        public var due: Int64
        /// Why it is not, in a sentence.
        public var reason: String

        public init(submitted: Int64, due: Int64, reason: String) {
            self.submitted = submitted
            self.due = due
            self.reason = reason
        }
    }
}

/// What the tasks of an app did in a span of time.
public struct SpanReport: Codable, Hashable, Sendable {
    public var app: String
    /// Milliseconds since 1970.
    public var since: Int64
    public var until: Int64
    /// In the order of the manifest, then those it no longer declares.
    public var tasks: [TaskReport]
    /// What needs attention, the worst first.
    public var attention: [Attention]
    /// From when on the journal tells what held requests back; nil without a journal.
    public var journalBegins: Int64?
    /// Why it does not tell everything.
    public var journalGap: String?
}
