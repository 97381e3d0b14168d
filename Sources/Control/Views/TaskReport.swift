// SPDX-License-Identifier: Apache-2.0

/// What one task did in a span of time. Lengths are milliseconds, dates milliseconds since 1970.
package struct TaskReport: Codable, Hashable, Sendable {
    /// As the manifest declares it; a wildcard stands for all that it handles.
    package var identifier: String
    var kind: String
    /// Whether the manifest declares it still.
    package var isDeclared: Bool

    /// Attempts that ended in the span.
    package var runs = 0
    package var completed = 0
    package var failed = 0
    package var expired = 0
    package var crashed = 0
    package var exited = 0
    package var refused = 0
    package var interrupted = 0
    /// Why attempts were expired, the most frequent first.
    package var expiredBy: [Count] = []
    /// Completed attempts, of those that completed or failed: revoked ones do not
    /// count. Nil without any.
    package var success: Double?
    /// What pushes have brought, by the words of `FetchResult`; nil when no attempt said.
    package var fetched: [Count]?
    /// Failures since the last attempt that completed.
    package var failuresInARow = 0

    /// From the date at which a request was due to its first launch.
    package var delay: Distribution?
    /// How long attempts ran.
    package var runTime: Distribution?
    /// The processor time of attempts; nil if unknown for all of them.
    package var processorTime: Distribution?
    /// What held requests back that were due, the longest first; of several requests at a time each
    /// counts. As far back as the journal tells.
    package var blockers: [Blocker] = []
    /// Occurrences that should have been, and those that were.
    package var promise: Promise?
    /// When its first request was submitted; nil: unknown.
    package var knownSince: Int64?
    /// Dates of its schedule that were skipped because it could not be launched in time; nil without any.
    var missed: Missed?

    /// When the last attempt ended, and how.
    var lastEnded: Int64?
    var lastOutcome: String?
    /// A request that waits.
    var pending: Waiting?

    /// How often something occurred.
    package struct Count: Codable, Hashable, Sendable {
        package var name: String
        package var count: Int

        package init(_ name: String, _ count: Int) {
            self.name = name
            self.count = count
        }
    }

    /// For how long something held requests back.
    package struct Blocker: Codable, Hashable, Sendable {
        /// The word of `PendingReason.word`, or `no host`.
        package var name: String
        package var milliseconds: Int64

        init(_ name: String, milliseconds: Int64) {
            self.name = name
            self.milliseconds = milliseconds
        }
    }

    /// What a schedule promises.
    package struct Promise: Codable, Hashable, Sendable {
        /// Occurrences since the task is known, within the span.
        package var expected: Int
        /// Requests of it that were launched, at most `expected`.
        package var kept: Int
    }

    /// Dates that passed without a launch.
    struct Missed: Codable, Hashable, Sendable {
        var count: Int
        /// When the last one was skipped.
        var last: Int64
    }

    /// The request of the task that is due the earliest.
    package struct Waiting: Codable, Hashable, Sendable {
        var submitted: Int64
        /// From when on it may be launched.
        var due: Int64
        /// Why it is not, in a sentence.
        var reason: String

        package init(submitted: Int64, due: Int64, reason: String) {
            self.submitted = submitted
            self.due = due
            self.reason = reason
        }
    }
}

/// What the tasks of an app did in a span of time.
package struct SpanReport: Codable, Hashable, Sendable {
    package var app: String
    /// Milliseconds since 1970.
    package var since: Int64
    package var until: Int64
    /// In the order of the manifest, then those it no longer declares.
    package var tasks: [TaskReport]
    /// What needs attention, the worst first.
    package var attention: [Attention]
    /// From when on the journal tells what held requests back; nil without a journal.
    package var journalBegins: Int64?
    /// Why it does not tell everything.
    package var journalGap: String?
}
