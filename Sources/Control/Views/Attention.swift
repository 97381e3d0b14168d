// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// A problem of a task that needs a person's attention.
package struct Attention: Codable, Equatable, Sendable {
    /// The worst first.
    package enum Kind: String, Codable, Equatable, Sendable, CaseIterable {
        /// The last attempts failed, `failuresInARow` of them or more.
        case failing
        /// A request is overdue by more than its period, or by a day.
        case starving
        /// It has been pending for more than its period, or a day, and has never run.
        case neverRun = "never-run"
        /// Nothing ran, and one thing held it back nearly all the time.
        case blocked
        /// Dates of its schedule were skipped, or less than half of the scheduled launches took
        /// place.
        case missed
        /// Half of its attempts or more were taken back for one reason.
        case cutShort = "cut-short"
        /// One attempt in twenty uses nearly all of its granted time.
        case nearLimit = "near-limit"
        /// It uses much processor time and does not require external power.
        case computes
    }

    package var identifier: String
    package var kind: Kind
    /// One sentence.
    package var text: String

    /// Failures in a row that need attention.
    static let failuresInARow = 3

    /// The percentage of the granted time above which an attempt is near its limit.
    static let nearLimitPercent: Int64 = 80
    /// Apple: CPU-intensive work requires external power.
    static let muchProcessorTime = Interval.seconds(10)

    static func isWorse(_ left: Attention, _ right: Attention) -> Bool {
        let order = Kind.allCases
        guard left.kind != right.kind else { return left.identifier < right.identifier }
        return order.firstIndex(of: left.kind) ?? 0 < order.firstIndex(of: right.kind) ?? 0
    }

    /// The problems of a task; of related ones, only one.
    static func found(
        in task: TaskReport, of subject: ReportBuilder.Subject, since: WallTime, until: WallTime
    ) -> [Attention] {
        var found: [Attention] = []
        func note(_ kind: Kind, _ text: String) {
            found.append(Attention(identifier: task.identifier, kind: kind, text: text))
        }
        if task.failuresInARow >= failuresInARow {
            note(
                .failing,
                "\(task.failuresInARow) failures in a row, the last one: "
                    + (task.lastOutcome ?? "-"))
        }
        let wait = waitNote(task, subject, until)
        if let wait { note(wait.kind, wait.text) }
        if let missed = task.missed {
            let ago = missed.last.interval(until: until).brief
            note(
                .missed,
                "\(missed.count) \(missed.count == 1 ? "date was" : "dates were") skipped, the last "
                    + "one \(ago) ago: it could not be launched in time")
        } else if wait == nil, task.runs == 0,
            let blocked = blocker(task, since: since, until: until)
        {
            note(.blocked, blocked)
        } else if wait == nil, let promise = task.promise, promise.expected >= 2,
            promise.kept * 2 < promise.expected  // fits: a count
        {
            note(
                .missed,
                "it was launched \(promise.kept) of \(promise.expected) times"
                    + (task.blockers.first.map { "; most of the time it waited for \($0.name)" }
                        ?? ""))
        }
        // fits: a count
        if let reason = task.expiredBy.first, task.runs >= 4, reason.count * 2 >= task.runs {
            note(
                .cutShort,
                "\(reason.count) of \(task.runs) attempts were expired for \(reason.name)")
        }
        if let limit = subject.timeLimit, let time = task.runTime, time.count >= 4,
            time.p95 >= limit.nanoseconds / 100 * nearLimitPercent / 1_000_000  // fits: a part
        {
            note(
                .nearLimit,
                "one attempt in twenty takes \(Interval.milliseconds(time.p95).brief) or more of the "
                    + "\(limit.brief) that it is granted: do it in parts")
        }
        if !subject.requiresPower, subject.kind == .processing, let time = task.processorTime,
            time.p50 >= muchProcessorTime.nanoseconds / 1_000_000
        {
            note(
                .computes,
                "half of its attempts use \(Interval.milliseconds(time.p50).brief) of processor time or "
                    + "more: add `requires: {power: external}`")
        }
        return found
    }

    /// The maximum delay of a request before it starves.
    private static func overdueLimit(_ subject: ReportBuilder.Subject, _ until: WallTime) -> Int64 {
        let day: Int64 = 86_400_000
        // A task that runs several times a day starves sooner.
        guard let daily = subject.occurrences(until.advanced(by: .days(-1)), until), daily > 1
        else { return day }
        return day / Int64(daily)
    }

    private static func waitNote(
        _ task: TaskReport, _ subject: ReportBuilder.Subject, _ until: WallTime
    ) -> (kind: Kind, text: String)? {
        guard let waiting = task.pending else { return nil }
        let overdue = until.milliseconds(since: waiting.due)
        guard overdue > overdueLimit(subject, until) else { return nil }
        let length = Interval.milliseconds(overdue).brief
        return task.lastEnded == nil && subject.hasNeverRun
            ? (.neverRun, "it has never run, and is due since \(length): \(waiting.reason)")
            : (.starving, "its request is overdue by \(length): \(waiting.reason)")
    }

    private static func blocker(_ task: TaskReport, since: WallTime, until: WallTime) -> String? {
        guard let first = task.blockers.first, first.milliseconds > 0 else { return nil }
        let all = task.blockers.map(\.milliseconds).saturatingSum
        let span = until.milliseconds(since: since)
        guard first.milliseconds / 9 >= all / 10, first.milliseconds >= span / 2 else { return nil }
        return "nothing ran: it waited \(Interval.milliseconds(first.milliseconds).brief) for "
            + first.name
    }
}
