// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Foundation
import Testing

@testable import BGRunControl

/// The answer of another user's process may contain any number.
@Suite("Answers with extreme numbers", .timeLimit(.minutes(10)))
struct ClampedTests {
    static let extremes: [Int64] = [.min, -1, 0, .max]

    static func isShown(_ date: WallTime) -> Bool {
        (0...253_402_300_799_999).contains(date.milliseconds)
    }

    @Test("a report is brought into its range", arguments: extremes)
    func report(_ number: Int64) throws {
        var task = TaskReport(identifier: "a", kind: "processing", isDeclared: true)
        let count = Int(clamping: number)
        let date = WallTime(milliseconds: number)
        (task.runs, task.completed, task.failed, task.crashed) = (count, count, count, count)
        task.limited = count
        task.blockers = ["x", "y"].map { .init(name: $0, milliseconds: number) }
        task.expiredBy = [.init(name: "time", count: count)]
        task.promise = .init(expected: count, kept: count)
        task.missed = .init(count: count, last: date)
        task.success = Double(number)
        task.delay = Distribution([number])
        task.lastEnded = date
        task.pending = .init(submitted: date, due: date, reason: "")
        var report = ReportBuilder(
            app: "a", since: WallTime(milliseconds: 0), until: WallTime(milliseconds: 1),
            subjects: []
        ).report()
        report.tasks = [task]
        (report.since, report.until, report.journalBegins) = (date, date, date)
        let clamped = report.clamped
        let found = try #require(clamped.tasks.first)
        let dates = [
            clamped.since, clamped.until, try #require(clamped.journalBegins),
            try #require(found.missed?.last), try #require(found.lastEnded),
            try #require(found.pending?.due), try #require(found.pending?.submitted),
        ]
        #expect(dates.allSatisfy(Self.isShown))
        let counts = [
            found.runs, found.completed, found.failed, found.crashed, found.expiredBy[0].count,
            try #require(found.limited), try #require(found.promise?.kept),
            try #require(found.promise?.expected),
            try #require(found.missed?.count),
        ]
        #expect(counts.allSatisfy { (0...1 << 31).contains($0) })
        #expect(found.blockers.allSatisfy { (0...1 << 53).contains($0.milliseconds) })
        #expect((0...1 << 53).contains(try #require(found.delay?.p95)))
        #expect((0...1).contains(try #require(found.success)))
        #expect(clamped.clamped == clamped)
    }

    @Test("a timeline is limited to the length that a page shows", arguments: extremes)
    func timeline(_ number: Int64) throws {
        let date = WallTime(milliseconds: number)
        var timeline = Timeline(since: date, until: WallTime(milliseconds: .max))
        var track = Timeline.Track(identifier: "a")
        track.attempts = [.init(attempt: 1, from: date, to: date, outcome: nil, reason: nil)]
        track.waits = [.init(from: date, to: date, blocker: nil)]
        timeline.tracks = [track]
        timeline.bands = [
            .init(name: "x", stretches: [.init(from: date, to: date, value: "", isGood: nil)])
        ]
        timeline.marks = [.init(at: date, text: "")]
        let clamped = timeline.clamped
        #expect((0...32 * 86_400_000).contains(clamped.until.milliseconds(since: clamped.since)))
        let found = clamped.tracks[0]
        let dates = [
            found.attempts[0].from, found.attempts[0].to, found.waits[0].from, found.waits[0].to,
            clamped.bands[0].stretches[0].from, clamped.bands[0].stretches[0].to,
            clamped.marks[0].at,
        ]
        #expect(dates.allSatisfy(Self.isShown))
    }

    @Test("the dates of the host in an overview are brought into their range", arguments: extremes)
    func host(_ number: Int64) throws {
        let date = WallTime(milliseconds: number)
        var overview = AppOverview(app: "a", at: date)
        overview.host = .init(process: 1, version: "9", since: date, waitsForStoreSince: date)
        let host = try #require(overview.clamped.host)
        for date in [host.since, host.waitsForStoreSince] {
            #expect(Self.isShown(try #require(date)))
        }
    }

    @Test("metrics of a tally with the largest counts are rendered")
    func tally() throws {
        let most = Int.max
        let text = """
            {"through": 0, "maximum": 9, "counted": [], "tasks": {"a": {
                "ended": {"completed": \(most), "failed": \(most)}, "failuresInARow": \(most),
                "lastSuccess": \(most), "runTime": {"counts": [\(most), \(most)], "sum": \(most)},
                "delay": {"counts": [\(most), \(most)], "sum": \(Int.min)}}}}
            """
        let tally = try JSONDecoder().decode(MetricsTally.self, from: Data(text.utf8))
        let metrics = AppMetrics(
            overview: AppOverview(app: "a", at: .epoch), tally: tally.clamped, tasks: ["a"],
            pending: [:], task: { $0 })
        let lines = MetricsText([metrics], version: "9").text
        #expect(lines.contains("bgrun_launches_total{app=\"a\",task=\"a\"} \(2 << 31)\n"))
        #expect(lines.contains("bgrun_run_seconds_count{app=\"a\",task=\"a\"} \(2 << 31)\n"))
        #expect(lines.contains("bgrun_launch_delay_seconds_sum{app=\"a\",task=\"a\"} 0"))
    }

    @Test("the counts of metrics are brought into their range", arguments: extremes)
    func metrics(_ number: Int64) throws {
        var metrics = AppMetrics(
            overview: AppOverview(app: "a", at: WallTime(milliseconds: number)),
            tally: try JSONDecoder().decode(
                MetricsTally.self,
                from: Data(#"{"through": 0, "maximum": 9, "counted": [], "tasks": {}}"#.utf8)),
            tasks: ["a"], pending: ["a": Int(clamping: number)], task: { $0 })
        metrics.transfers = .init(counts: ["running": Int(number)], bytes: ["upload": number])
        let clamped = metrics.clamped
        #expect(clamped.overview == metrics.overview.clamped)
        let counts = [clamped.pending["a"], clamped.transfers?.counts["running"]]
        for count in counts { #expect((0...1 << 31).contains(try #require(count))) }
        #expect((0...1 << 53).contains(try #require(clamped.transfers?.bytes["upload"])))
    }

    @Test(
        "a tally from an edited file counts on, and its metrics are rendered",
        arguments: [
            "[]", "[1]", "[\(Int.max),\(Int.min),-1,1,1,1,1,1,\(Int.max),5,5]",
        ])
    func changedTally(_ counts: String) throws {
        let most = Int.max
        let text = """
            {"through": 0, "maximum": 9, "counted": [], "tasks": {"a": {
                "ended": {"": 1, "/": 1, "completed": \(most), "failed": \(most)},
                "failuresInARow": \(most), "lastSuccess": \(Int.min),
                "runTime": {"counts": \(counts), "sum": \(most)},
                "delay": {"counts": \(counts), "sum": \(most)}}}}
            """
        var tally = try JSONDecoder().decode(MetricsTally.self, from: Data(text.utf8)).clamped
        // The last length has no bound.
        tally.add(
            ReportTests.run(1, late: 100_000_000, took: 100_000_000, .failed), as: "a",
            isFirst: true)
        tally.add(ReportTests.run(2), as: "a", isFirst: true)
        let found = try #require(tally.tasks["a"])
        #expect(found.runTime.counts.count == 9 && found.delay.counts.count == 9)
        #expect(found.ended["failed"] == (1 << 31) + 1)
        let metrics = AppMetrics(
            overview: AppOverview(app: "a", at: .epoch), tally: tally, tasks: ["a"], pending: [:],
            task: { $0 })
        let lines = MetricsText([metrics], version: "9").text
        #expect(lines.contains(#"bgrun_run_seconds_bucket{app="a",task="a",le="+Inf"}"#))
        #expect(lines.contains(#"{app="a",task="a",outcome="",reason=""} 1"#))
    }

    @Test("the progress of a transfer is between 0 and 100 %", arguments: extremes)
    func transfer(_ number: Int64) throws {
        let text = """
            {"id":1,"session":"s","direction":"download","url":"u","state":"running","bytes":\(number),
            "total":100,"failures":0,"submitted":0,"delivered":false,"discretionary":false,
            "metered":false,"verifiesServer":true}
            """
        let view = try JSONDecoder().decode(TransferView.self, from: Data(text.utf8))
        #expect(view.fraction == (number == .max ? 1 : 0))
    }

    @Test(
        "a bar has its width for any number",
        arguments: [-.infinity, -0.5, 0, 1.5, .infinity, .nan])
    func bar(_ fraction: Double) {
        #expect(ByteText.bar(fraction).count == 17)
    }

    @Test("the sum of waits is limited to the longest wait")
    func waits() throws {
        var builder = ReportBuilder(
            app: "a", since: WallTime(milliseconds: 0), until: WallTime(milliseconds: 9),
            subjects: [.init(identifier: "a", kind: .processing)])
        for blocker in ["x", "x", "y"] { builder.add(wait: .max, of: "a", by: blocker) }
        for _ in 0..<2 { builder.add(missed: .max, of: "a", last: WallTime(milliseconds: 1)) }
        let task = try #require(builder.report().tasks.first)
        #expect(task.blockers.map(\.milliseconds) == [.max, .max])
        #expect(task.missed?.count == .max)
    }
}
