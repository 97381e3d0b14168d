// SPDX-License-Identifier: Apache-2.0

/// A pending request to run an identifier, at most one of each (Apple: "replaces"). Copies share their contents, since
/// requests are copied often and seldom changed.
package struct TaskRequest: Equatable, Sendable {
    private var shared: Shared

    private final class Shared: Sendable {
        let contents: Contents

        init(_ contents: Contents) { self.contents = contents }
    }

    private struct Contents: Equatable {
        var id: Int64
        var identifier: String
        var kind: TaskKind
        var submitted: WallTime
        var earliest: WallTime?
        var waitingSince: WallTime?
        var parameters: String?
        var requires: Conditions
        var occurrence: WallTime?
        var failures: Int
        var interruptions: Int
        var isOnlyImmediate: Bool
        var isSpaced: Bool
        var annotations: Annotations
    }

    private var contents: Contents {
        get { shared.contents }
        set { shared = Shared(newValue) }
    }

    /// Increases with every accepted request and is never reused; breaks ties.
    package var id: Int64 { shared.contents.id }
    package var identifier: String { shared.contents.identifier }
    package var kind: TaskKind {
        get { shared.contents.kind }
        set { contents.kind = newValue }
    }
    package var submitted: WallTime {
        get { shared.contents.submitted }
        set { contents.submitted = newValue }
    }
    /// Not before this date; nil for no delay (Apple: earliestBeginDate).
    package var earliest: WallTime? {
        get { shared.contents.earliest }
        set { contents.earliest = newValue }
    }
    /// The start of the waiting time of the request it replaced, if that one was due; nil otherwise.
    package var waitingSince: WallTime? {
        get { shared.contents.waitingSince }
        set { contents.waitingSince = newValue }
    }
    /// A JSON object laid over the task's parameters. Opaque to the core.
    package var parameters: String? { shared.contents.parameters }
    /// The conditions in addition to those of its task (Apple: requiresExternalPower and the like).
    package var requires: Conditions { shared.contents.requires }
    /// The date in its task's schedule, before any jitter; with `flex` the end of the period; nil: none.
    package var occurrence: WallTime? {
        get { shared.contents.occurrence }
        set { contents.occurrence = newValue }
    }
    /// Attempts that have failed so far.
    package var failures: Int {
        get { shared.contents.failures }
        set { contents.failures = newValue }
    }
    /// Times the host died while this request was running.
    package var interruptions: Int {
        get { shared.contents.interruptions }
        set { contents.interruptions = newValue }
    }

    /// Whether it is refused unless it can start on submission, regardless of its task (Apple: strategy `fail`).
    package var isOnlyImmediate: Bool { shared.contents.isOnlyImmediate }

    /// Whether the app submitted it too soon: it keeps `processing_spacing` or `resubmission_spacing`, also under the
    /// next host.
    package var isSpaced: Bool {
        get { shared.contents.isSpaced }
        set { contents.isSpaced = newValue }
    }

    /// The annotations of its task and its own.
    package var annotations: Annotations { shared.contents.annotations }

    package init(
        id: Int64, identifier: String, kind: TaskKind, submitted: WallTime,
        earliest: WallTime? = nil, waitingSince: WallTime? = nil, parameters: String? = nil,
        requires: Conditions = [], occurrence: WallTime? = nil, failures: Int = 0,
        interruptions: Int = 0, isOnlyImmediate: Bool = false, isSpaced: Bool = false,
        annotations: Annotations = Annotations()
    ) {
        shared = Shared(
            Contents(
                id: id, identifier: identifier, kind: kind, submitted: submitted,
                earliest: earliest, waitingSince: waitingSince, parameters: parameters,
                requires: requires, occurrence: occurrence, failures: Self.counted(failures),
                interruptions: Self.counted(interruptions), isOnlyImmediate: isOnlyImmediate,
                isSpaced: isSpaced, annotations: annotations))
    }

    /// Bounds a count from the store so that incrementing it cannot overflow.
    private static func counted(_ count: Int) -> Int { min(max(0, count), 1 << 31) }

    /// The start of its waiting time, after its date.
    package var since: WallTime { waitingSince ?? max(earliest ?? submitted, submitted) }

    /// Replaces `old` and keeps its waiting time. Apple: a continued request has no earliest date.
    package mutating func follow(_ old: TaskRequest?, isFromApp: Bool = false, now: WallTime) {
        if kind == .continued { earliest = nil }
        guard let old else { return }
        if old.since <= now { waitingSince = old.since }
        if isFromApp { keepDate(of: old, now: now) }
    }

    /// Apple: an app submits its requests at each launch. One whose delay is not longer than that of the request it
    /// replaces does not become due later, or repeated submissions would postpone it indefinitely.
    private mutating func keepDate(of old: TaskRequest, now: WallTime) {
        let known = old.earliest ?? old.submitted
        guard let asked = earliest, asked > known else { return }
        // An app computes the date before it submits the request.
        let longest = old.submitted.interval(until: known).milliseconds.saturatingAdding(1_000)
        guard now.interval(until: asked).milliseconds <= longest else { return }
        earliest = old.earliest
        submitted = old.submitted
    }

    /// The clock was set back to `now`, before the request was submitted: moves its dates back, except a date of a
    /// schedule, which the calendar decides; the date of a retry does move.
    ///
    /// - Returns: The distance.
    mutating func shift(backTo now: WallTime) -> Interval {
        let back = submitted.interval(until: now)
        submitted = now
        if occurrence == nil || failures > 0 { earliest = earliest?.advanced(by: back) }
        waitingSince = waitingSince.map { min($0, now) }
        return back
    }

    /// Creates the request of `submission` under `declaration`.
    package init(
        id: Int64, _ submission: Submission, _ declaration: TaskDeclaration, now: WallTime
    ) {
        let delay = submission.delay ?? declaration.earliest
        self.init(
            id: id, identifier: submission.identifier, kind: declaration.kind, submitted: now,
            earliest: delay > .zero ? now.advanced(by: delay) : nil,
            parameters: submission.parameters, requires: submission.requires,
            isOnlyImmediate: submission.isOnlyImmediate,
            annotations: declaration.annotations.adding(submission.annotations))
    }

    /// A submission for the next request of its task, with the same conditions.
    func successor(after delay: Interval = .zero) -> Submission {
        Submission(identifier: identifier, delay: delay, parameters: parameters, requires: requires)
    }

    package static func == (left: TaskRequest, right: TaskRequest) -> Bool {
        left.shared === right.shared || left.contents == right.contents
    }
}
