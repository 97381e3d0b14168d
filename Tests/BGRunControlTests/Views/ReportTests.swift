// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@testable import BGRunControl

@Suite("The report of runs", .timeLimit(.minutes(10)))
struct ReportTests {
    static let hour: Int64 = 3_600_000
    static let since = WallTime(milliseconds: 1_000 * hour)
    static let until = WallTime(milliseconds: 1_024 * hour)

    static func run(
        _ attempt: Int64, of identifier: String = "a", request: Int64? = nil, late: Int64 = 0,
        took: Int64 = 1_000, processor: Int64? = nil, _ outcome: Outcome = .completed
    ) -> Run {
        let due = since + attempt * 1_000
        let launched = due + late
        return Run(
            attempt: attempt, identifier: identifier, kind: .processing,
            request: request ?? attempt, due: due, launched: launched,
            ended: launched + took, duration: .milliseconds(took), outcome: outcome,
            processor: processor.map { .milliseconds($0) })
    }

    static func hourly(_ from: WallTime, _ to: WallTime) -> Int? {
        Int(max(0, to.milliseconds(since: from)) / hour)
    }

    static func report(
        _ subjects: [ReportBuilder.Subject], _ runs: [Run], waits: [(String, String, Int64)] = []
    ) -> SpanReport {
        var builder = ReportBuilder(app: "app", since: since, until: until, subjects: subjects)
        for run in runs { builder.add(run) }
        for (identifier, word, length) in waits {
            builder.add(wait: length, of: identifier, by: word)
        }
        return builder.report()
    }

    static let plain = ReportBuilder.Subject(identifier: "a", kind: .processing)

    @Test("each outcome is counted; the rate of success includes only completed and failed runs")
    func outcomes() {
        let task = Self.report(
            [Self.plain],
            [
                Self.run(1), Self.run(2, .failed), Self.run(3, .crashed(signal: 11)),
                Self.run(4, .exited(code: 1)), Self.run(5, .refused), Self.run(6, .interrupted),
                Self.run(7, .expired(.powerLost, reported: nil)),
                Self.run(8, .expired(.time, reported: false)), Self.run(9, .limited(.memory)),
            ]
        ).tasks[0]
        #expect(task.runs == 9 && task.limited == 1 && task.failures == 5)
        #expect([task.completed, task.failed, task.crashed, task.exited] == [1, 1, 1, 1])
        #expect([task.refused, task.interrupted, task.expired] == [1, 1, 2])
        #expect(task.success == 1.0 / 7)
        #expect(
            task.expiredBy
                == [.init(name: "power-lost", count: 1), .init(name: "time", count: 1)])
    }

    @Test("the order of runs changes neither the last attempt nor the failures in a row")
    func order() {
        let runs = [
            Self.run(1, .failed), Self.run(2), Self.run(3, .failed),
            Self.run(4, .expired(.powerLost, reported: nil)), Self.run(5, .failed),
        ]
        let report = Self.report([Self.plain], runs)
        #expect(report == Self.report([Self.plain], runs.reversed()))
        #expect(report.tasks[0].failuresInARow == 2)
        #expect(report.tasks[0].lastOutcome == "failed")
        #expect(report.tasks[0].lastEnded == runs[4].ended)
    }

    @Test("the delay is that of the first launch of a request, not that of its retries")
    func delay() {
        let task = Self.report(
            [Self.plain],
            [
                Self.run(2, request: 1, late: 90_000), Self.run(1, request: 1, late: 10, .failed),
                Self.run(3, late: -5),
            ]
        ).tasks[0]
        #expect(task.delay?.count == 2)
        #expect(task.delay?.max == 10)
        #expect(task.delay?.p50 == 0)
    }

    @Test(
        "percentiles are values that occurred",
        arguments: [
            ([5], 5, 5, 5), ([1, 2], 1, 2, 2), (Array(1...100), 50, 95, 100),
            (Array((1...20).reversed()), 10, 19, 20),
        ] as [([Int64], Int64, Int64, Int64)])
    func percentiles(_ values: [Int64], _ p50: Int64, _ p95: Int64, _ max: Int64) {
        let found = Distribution(values)
        #expect(found?.p50 == p50)
        #expect(found?.p95 == p95)
        #expect(found?.max == max)
        #expect(found?.sum == values.reduce(0, +))
    }

    @Test(
        "a promise counts from the date since when the task is known; extra launches do not count")
    func promise() {
        let known = Self.until - 4 * Self.hour
        let subject = ReportBuilder.Subject(
            identifier: "a", kind: .processing, knownSince: known, occurrences: Self.hourly)
        func kept(_ runs: Int64) -> TaskReport.Promise? {
            Self.report([subject], (0..<runs).map { Self.run($0) }).tasks[0].promise
        }
        #expect(Self.report([subject], []).tasks[0].knownSince == known)
        #expect(kept(3) == .init(expected: 4, kept: 3))
        #expect(kept(9) == .init(expected: 4, kept: 4))
        #expect(Self.report([Self.plain], [Self.run(1)]).tasks[0].promise == nil)
    }

    @Test("a wildcard includes the identifiers it handles; undeclared tasks come last")
    func grouping() {
        let report = Self.report(
            [.init(identifier: "b.*", kind: .processing), Self.plain],
            [Self.run(1, of: "b.one"), Self.run(2, of: "b.two"), Self.run(3, of: "gone")],
            waits: [("b.one", "idle", 5), ("b.two", "idle", 6), ("b.two", "sleep", 20)])
        #expect(report.tasks.map(\.identifier) == ["b.*", "a", "gone"])
        #expect(report.tasks.map(\.runs) == [2, 0, 1])
        #expect(report.tasks.map(\.isDeclared) == [true, true, false])
        #expect(
            report.tasks[0].blockers
                == [.init(name: "sleep", milliseconds: 20), .init(name: "idle", milliseconds: 11)])
    }

    // MARK: tasks that need attention

    struct Case: CustomTestStringConvertible, Sendable {
        var name: String
        var kinds: [Attention.Kind]
        var runs: [Run] = []
        var overdue: Int64?
        var hasNeverRun = false
        var isHourly = false
        var waits: [(String, String, Int64)] = []
        var testDescription: String { name }
    }

    static let cases = [
        Case(
            name: "two failures are an accident", kinds: [],
            runs: [run(1, .failed), run(2, .failed)]),
        Case(
            name: "three are not", kinds: [.failing],
            runs: [run(1, .failed), run(2, .failed), run(3, .crashed(signal: 6))]),
        Case(
            name: "a success ends them", kinds: [],
            runs: [run(1, .failed), run(2, .failed), run(3, .failed), run(4)]),
        Case(name: "due for 23 hours is late", kinds: [], runs: [run(1)], overdue: 23),
        Case(name: "due for 25 hours starves", kinds: [.starving], runs: [run(1)], overdue: 25),
        Case(
            name: "what happens every hour starves after one", kinds: [.starving], runs: [run(1)],
            overdue: 2, isHourly: true),
        Case(name: "it never ran", kinds: [.neverRun], overdue: 30, hasNeverRun: true),
        Case(
            name: "nothing ran, and it waited for power", kinds: [.blocked],
            waits: [("a", "power: external", 20 * hour), ("a", "sleep", hour)]),
        Case(
            name: "nothing ran, and many things held it", kinds: [],
            waits: [("a", "power: external", 10 * hour), ("a", "idle", 10 * hour)]),
        Case(
            name: "less than half of the launches", kinds: [.missed],
            runs: (1...11).map { run($0) },
            isHourly: true),
        Case(name: "half of them", kinds: [], runs: (1...12).map { run($0) }, isHourly: true),
        Case(
            name: "half were taken back", kinds: [.cutShort],
            runs: [
                run(1), run(2), run(3, .expired(.userActive, reported: nil)),
                run(4, .expired(.userActive, reported: nil)),
            ]),
        Case(
            name: "one in twenty is near the limit of 30 seconds", kinds: [.nearLimit],
            runs: (1...19).map { run($0) } + [run(20, took: 24_000), run(21, took: 24_000)]),
        Case(
            name: "one alone is an accident", kinds: [],
            runs: (1...20).map { run($0) } + [run(21, took: 29_000)]),
        Case(
            name: "three are too few to tell", kinds: [],
            runs: (1...3).map { run($0, took: 29_000) }),
        Case(
            name: "it computes for 10 seconds, without power", kinds: [.computes],
            runs: [run(1, processor: 10_000), run(2, processor: 11_000), run(3, processor: 0)]),
        Case(
            name: "it computes for less", kinds: [],
            runs: [run(1, processor: 9_999), run(2, processor: 9_999), run(3)]),
    ]

    @Test("a task that requires power may compute; processor time is that of measured attempts")
    func computes() {
        var subject = ReportBuilder.Subject(
            identifier: "a", kind: .processing, requiresPower: true)
        let runs = [Self.run(1, processor: 60_000), Self.run(2), Self.run(3, processor: 20_000)]
        let report = Self.report([subject], runs)
        #expect(report.attention.isEmpty)
        #expect(report.tasks[0].processorTime == Distribution([20_000, 60_000]))
        subject.requiresPower = false
        #expect(Self.report([subject], runs).attention.map(\.kind) == [.computes])
        #expect(Self.report([subject], [Self.run(1)]).tasks[0].processorTime == nil)
    }

    @Test("each condition that needs attention is reported", arguments: cases)
    func attention(_ example: Case) {
        let waiting = example.overdue.map { hours in
            TaskReport.Waiting(
                submitted: .epoch, due: Self.until - hours * Self.hour, reason: "waits")
        }
        var subject = ReportBuilder.Subject(
            identifier: "a", kind: .processing, knownSince: Self.since,
            hasNeverRun: example.hasNeverRun, waiting: waiting, timeLimit: .seconds(30))
        if example.isHourly { subject.occurrences = { Self.hourly($0, $1) } }
        let report = Self.report([subject], example.runs, waits: example.waits)
        #expect(report.attention.map(\.kind) == example.kinds)
    }

    @Test("the most severe one comes first")
    func worst() {
        let late = ReportBuilder.Subject(
            identifier: "a", kind: .processing,
            waiting: TaskReport.Waiting(submitted: .epoch, due: .epoch, reason: "waits"))
        let bad = ReportBuilder.Subject(identifier: "b", kind: .processing)
        let report = Self.report(
            [late, bad], [Self.run(4)] + (1...3).map { Self.run($0, of: "b", .failed) })
        #expect(report.attention.map(\.kind) == [.failing, .starving])
    }

    @Test("skipped dates need attention; those of a wildcard are reported together")
    func missedDates() {
        var builder = ReportBuilder(
            app: "app", since: Self.since, until: Self.until,
            subjects: ["a.*", "b"].map { .init(identifier: $0, kind: .processing) })
        let hour = Interval.hours(1).nanoseconds / 1_000_000
        func ago(_ hours: Int64) -> WallTime { Self.until - hours * hour }
        builder.add(missed: 2, of: "a.one", last: ago(5))
        builder.add(missed: 1, of: "a.two", last: ago(7))
        let report = builder.report()
        #expect(
            report.tasks.map(\.missed)
                == [.init(count: 3, last: ago(5)), nil])
        #expect(report.attention.map(\.kind) == [.missed])
        #expect(
            report.attention.first?.text
                == "3 dates were skipped, the last one 5h ago: it could not be launched in time")
    }
}

extension WallTime {
    static func + (date: WallTime, milliseconds: Int64) -> WallTime {
        date.advanced(by: .milliseconds(milliseconds))
    }

    static func - (date: WallTime, milliseconds: Int64) -> WallTime { date + -milliseconds }
}
