// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// A finished attempt, reduced to the needs of a report.
package struct Run: Equatable, Sendable {
    package var attempt: Int64
    package var identifier: String
    var kind: TaskKind
    var request: Int64
    /// The earliest possible launch.
    package var due: WallTime
    package var launched: WallTime
    var ended: WallTime
    package var duration: Interval?
    package var outcome: Outcome
    /// The reported result of a push.
    var result: FetchResult?
    /// Its processor time; nil: unknown.
    var processor: Interval?

    package init(
        attempt: Int64, identifier: String, kind: TaskKind, request: Int64, due: WallTime,
        launched: WallTime, ended: WallTime, duration: Interval?, outcome: Outcome,
        result: FetchResult? = nil, processor: Interval? = nil
    ) {
        self.attempt = attempt
        self.identifier = identifier
        self.kind = kind
        self.request = request
        self.due = due
        self.launched = launched
        self.ended = ended
        self.duration = duration
        self.outcome = outcome
        self.result = result
        self.processor = processor
    }

    /// Milliseconds after the date at which it was due.
    package var late: Int64 { max(0, launched.milliseconds(since: due)) }
}

/// Makes a report from runs in any order. Takes memory for a few numbers per run.
package struct ReportBuilder: Sendable {
    /// A task of the manifest.
    package struct Subject: Sendable {
        var identifier: String
        var kind: TaskKind
        /// The known date of its first submission.
        var knownSince: WallTime?
        /// Whether no attempt of it has ever ended.
        var hasNeverRun: Bool
        /// The expected number of occurrences between two dates; nil without a schedule.
        var occurrences: @Sendable (WallTime, WallTime) -> Int?
        var waiting: TaskReport.Waiting?
        /// The granted time of an attempt; nil: unknown.
        var timeLimit: Interval?
        /// Whether it requires external power.
        var requiresPower: Bool

        package init(
            identifier: String, kind: TaskKind, knownSince: WallTime? = nil,
            hasNeverRun: Bool = false, waiting: TaskReport.Waiting? = nil,
            timeLimit: Interval? = nil, requiresPower: Bool = false,
            occurrences: @escaping @Sendable (WallTime, WallTime) -> Int? = { _, _ in nil }
        ) {
            self.identifier = identifier
            self.kind = kind
            self.knownSince = knownSince
            self.hasNeverRun = hasNeverRun
            self.waiting = waiting
            self.occurrences = occurrences
            self.timeLimit = timeLimit
            self.requiresPower = requiresPower
        }
    }

    private let app: String
    private let since: WallTime
    private let until: WallTime
    private let subjects: [Subject]
    private let declared: IdentifierRule
    private var tallies: [String: Tally] = [:]
    private var waits: [String: [String: Int64]] = [:]
    private var missed: [String: TaskReport.Missed] = [:]
    /// The start of the journal's records.
    package var journalBegins: WallTime?
    package var journalGap: String?

    package init(app: String, since: WallTime, until: WallTime, subjects: [Subject]) {
        self.app = app
        self.since = since
        self.until = until
        self.subjects = subjects
        declared = IdentifierRule(permitting: subjects.map(\.identifier))
    }

    /// The task of an identifier: its own, or the wildcard that handles it.
    private func task(of identifier: String) -> String {
        declared.pattern(for: identifier) ?? identifier
    }

    /// Counts an attempt that ended in the span.
    package mutating func add(_ run: Run) {
        let task = task(of: run.identifier)
        tallies[task, default: Tally(kind: run.kind.name)].add(run)
    }

    /// `blocker` held a request of `identifier` back for this many milliseconds.
    package mutating func add(wait milliseconds: Int64, of identifier: String, by blocker: String) {
        let task = task(of: identifier)
        let before = waits[task]?[blocker] ?? 0
        waits[task, default: [:]][blocker] = before.saturatingAdding(milliseconds)
    }

    /// `count` dates of `identifier` were skipped in the span, the last one at `last`.
    package mutating func add(missed count: Int, of identifier: String, last: WallTime) {
        let task = task(of: identifier)
        let known = missed[task] ?? TaskReport.Missed(count: 0, last: last)
        missed[task] = TaskReport.Missed(
            count: [known.count, count].saturatingSum, last: max(known.last, last))
    }

    package func report() -> SpanReport {
        var tasks = subjects.map { subject in
            var task = TaskReport(
                identifier: subject.identifier, kind: subject.kind.name, isDeclared: true)
            finish(&task)
            task.promise = promise(of: subject, task)
            task.knownSince = subject.knownSince
            task.pending = subject.waiting
            return task
        }
        let known = Set(subjects.map(\.identifier))
        for (identifier, tally) in tallies.sorted(by: { $0.key < $1.key })
        where !known.contains(identifier) {
            var task = TaskReport(identifier: identifier, kind: tally.kind, isDeclared: false)
            finish(&task)
            tasks.append(task)
        }
        let attention = zip(tasks, subjects).flatMap { task, subject in
            Attention.found(in: task, of: subject, since: since, until: until)
        }
        return SpanReport(
            app: app, since: since, until: until, tasks: tasks,
            attention: attention.sorted(by: Attention.isWorse), journalBegins: journalBegins,
            journalGap: journalGap)
    }

    private func finish(_ task: inout TaskReport) {
        tallies[task.identifier]?.fill(&task)
        task.missed = missed[task.identifier]
        task.blockers = (waits[task.identifier] ?? [:]).map {
            TaskReport.Blocker(name: $0.key, milliseconds: $0.value)
        }.sorted { ($1.milliseconds, $0.name) < ($0.milliseconds, $1.name) }
    }

    private func promise(of subject: Subject, _ task: TaskReport) -> TaskReport.Promise? {
        guard let known = subject.knownSince,
            let expected = subject.occurrences(max(known, since), until)
        else { return nil }
        let launched = tallies[task.identifier]?.requests.count ?? 0
        return TaskReport.Promise(expected: expected, kept: min(expected, launched))
    }
}

/// The counts of one task.
private struct Tally: Sendable {
    let kind: String
    /// By request, its first attempt and the delay of that.
    var requests: [Int64: (attempt: Int64, delay: Int64)] = [:]
    private var runTimes: [Int64] = []
    private var processorTimes: [Int64] = []
    private var counts: [String: Int] = [:]
    private var reasons: [String: Int] = [:]
    private var results: [String: Int] = [:]
    /// Attempts that failed or completed, each with its result.
    private var verdicts: [(attempt: Int64, isFailure: Bool)] = []
    private var last: Run?

    init(kind: String) { self.kind = kind }

    mutating func add(_ run: Run) {
        counts.countUp(run.outcome.name)
        if case .expired(let reason, _) = run.outcome { reasons.countUp(reason.name) }
        if let result = run.result { results.countUp(result.name) }
        if let isFailure = run.outcome.isFailure { verdicts.append((run.attempt, isFailure)) }
        if let duration = run.duration { runTimes.append(duration.nanoseconds / 1_000_000) }
        if let processor = run.processor {
            processorTimes.append(processor.nanoseconds / 1_000_000)
        }
        if run.attempt < requests[run.request]?.attempt ?? .max {
            requests[run.request] = (run.attempt, run.late)
        }
        if run.attempt > last?.attempt ?? .min { last = run }
    }

    func fill(_ task: inout TaskReport) {
        func count(_ name: String) -> Int { counts[name] ?? 0 }
        task.runs = counts.values.reduce(0, +)
        task.completed = count("completed")
        task.failed = count("failed")
        task.expired = count("expired")
        task.crashed = count("crashed")
        task.limited = counts["limited"]
        task.exited = count("exited")
        task.refused = count("refused")
        task.interrupted = count("interrupted")
        task.expiredBy = reasons.map { TaskReport.Count(name: $0.key, count: $0.value) }
            .sorted { ($1.count, $0.name) < ($0.count, $1.name) }
        if !results.isEmpty {
            task.fetched = FetchResult.allCases.map {
                TaskReport.Count(name: $0.name, count: results[$0.name] ?? 0)
            }
        }
        if !verdicts.isEmpty {
            let good = verdicts.count { !$0.isFailure }
            task.success = Double(good) / Double(verdicts.count)
        }
        task.failuresInARow =
            verdicts.sorted { $0.attempt > $1.attempt }.prefix(while: \.isFailure).count
        task.delay = Distribution(requests.values.map(\.delay))
        task.runTime = Distribution(runTimes)
        task.processorTime = Distribution(processorTimes)
        task.lastEnded = last?.ended
        task.lastOutcome = last?.outcome.name
    }
}

extension Outcome {
    /// Whether the attempt failed by itself; nil if the system took it back.
    package var isFailure: Bool? {
        switch self {
        case .completed: false
        case .failed, .crashed, .limited, .exited, .refused: true
        case .expired(let reason, _): reason.countsAsFailure ? true : nil
        case .interrupted: nil
        }
    }
}
