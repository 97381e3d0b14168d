// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// The activity of one task in a span of time. Durations are milliseconds.
package struct TaskReport: Codable, Equatable, Sendable {
    /// The identifier in the manifest; a wildcard covers all identifiers that it handles.
    package var identifier: String
    var kind: String
    /// Whether the manifest still declares it.
    package var isDeclared: Bool

    /// Attempts that ended in the span.
    package var runs = 0
    package var completed = 0
    package var failed = 0
    package var expired = 0
    package var crashed = 0
    /// Attempts that reached a limit of their confinement; nil without any.
    package var limited: Int?
    package var exited = 0
    package var refused = 0
    package var interrupted = 0
    /// Attempts that failed by themselves and did not expire.
    package var failures: Int {
        [failed, crashed, limited ?? 0, exited, refused].saturatingSum
    }
    /// The reasons for expired attempts, the most frequent first.
    package var expiredBy: [Count] = []
    /// Completed attempts, of those that completed or failed: revoked ones do not
    /// count. Nil without any.
    package var success: Double?
    /// The results of pushes, by the words of `FetchResult`; nil if no attempt reported one.
    package var fetched: [Count]?
    /// Failures since the last attempt that completed.
    package var failuresInARow = 0

    /// The time from the due date of a request to its first launch.
    package var delay: Distribution?
    /// The run times of attempts.
    package var runTime: Distribution?
    /// The processor time of attempts; nil if unknown for all of them.
    package var processorTime: Distribution?
    /// The obstacles of due requests, the longest first; of simultaneous requests, each counts. As far
    /// back as the journal goes.
    package var blockers: [Blocker] = []
    /// The expected and the actual occurrences.
    package var promise: Promise?
    /// The date of its first submission; nil: unknown.
    package var knownSince: WallTime?
    /// Dates of its schedule that were skipped because it could not be launched in time; nil without any.
    var missed: Missed?

    /// The end of the last attempt, and its outcome.
    var lastEnded: WallTime?
    var lastOutcome: String?
    /// A waiting request.
    var pending: Waiting?

    /// The number of occurrences.
    package struct Count: Codable, Equatable, Sendable {
        package var name: String
        package var count: Int
    }

    /// The time for which an obstacle held requests back.
    package struct Blocker: Codable, Equatable, Sendable {
        /// `PendingReason.word`, or `no host`.
        package var name: String
        package var milliseconds: Int64
    }

    /// The promise of a schedule.
    package struct Promise: Codable, Equatable, Sendable {
        /// Occurrences within the span since the task is known.
        package var expected: Int
        /// Launched requests of it, at most `expected`.
        package var kept: Int
    }

    /// Dates that passed without a launch.
    struct Missed: Codable, Equatable, Sendable {
        var count: Int
        /// The date of the last skipped one.
        var last: WallTime
    }

    /// The request of the task that is due the earliest.
    package struct Waiting: Codable, Equatable, Sendable {
        var submitted: WallTime
        /// The earliest possible launch.
        var due: WallTime
        /// The reason why it waits, as a sentence.
        var reason: String

        package init(submitted: WallTime, due: WallTime, reason: String) {
            self.submitted = submitted
            self.due = due
            self.reason = reason
        }
    }
}

/// The activity of an app's tasks in a span of time.
package struct SpanReport: Codable, Equatable, Sendable {
    package var app: String
    package var since: WallTime
    package var until: WallTime
    /// In the order of the manifest, then those it no longer declares.
    package var tasks: [TaskReport]
    /// The problems that need attention, the worst first.
    package var attention: [Attention]
    /// The start of the journal's records of waits; nil without a journal.
    package var journalBegins: WallTime?
    /// The reason why these are incomplete.
    package var journalGap: String?
}

/// A summary of durations. All values are milliseconds.
package struct Distribution: Codable, Equatable, Sendable {
    var count: Int
    /// Half of the values are at most this long.
    package var p50: Int64
    /// 95 of a hundred values are at most this long.
    package var p95: Int64
    package var max: Int64
    package var sum: Int64

    /// Nil without values. Percentiles are values that occurred (nearest rank).
    init?(_ values: [Int64]) {
        let sorted = values.sorted()
        guard let last = sorted.last else { return nil }
        count = sorted.count
        p50 = sorted[(sorted.count * 50 + 99) / 100 - 1]
        p95 = sorted[(sorted.count * 95 + 99) / 100 - 1]
        max = last
        sum = sorted.reduce(0) { $0.addingReportingOverflow($1).partialValue }
    }
}
