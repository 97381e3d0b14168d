// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Foundation
import Testing

@testable import BGRunControl

@Suite("Metrics", .timeLimit(.minutes(10)))
struct MetricsTests {
    private static func metrics(_ tally: MetricsTally) -> AppMetrics {
        var metrics = AppMetrics(
            overview: TopFrameTests.busy, tally: tally, tasks: ["a", "b.*"], pending: ["a": 2],
            task: { $0 == "a" ? "a" : "b.*" })
        metrics.transfers = AppMetrics.Transfers(
            counts: ["running": 1, "waiting": 2, "failed": 0],
            bytes: ["download": 5_000_000_000])
        return metrics
    }

    private static func tally() -> MetricsTally {
        var tally = MetricsTally(through: 0)
        tally.add(ReportTests.run(1, took: 50), as: "a", isFirst: true)
        tally.add(ReportTests.run(2, late: 2_500, took: 5_000, .failed), as: "a", isFirst: true)
        tally.add(ReportTests.run(3, .expired(.powerLost, reported: nil)), as: "a", isFirst: false)
        return tally
    }

    @Test("the text equals the recorded one, and names from outside are escaped")
    func golden() throws {
        var hostile = AppMetrics(
            overview: AppOverview(app: "evil\"\n\\", at: .epoch), tally: MetricsTally(through: 0),
            tasks: [], pending: [:], task: { $0 })
        hostile.overview.device = [DeviceBand(name: "battery", value: "79%")]
        let text = MetricsText([Self.metrics(Self.tally()), hostile], version: "9").text
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Golden/metrics.txt")
        if ProcessInfo.processInfo.environment["BGRUN_RECORD"] != nil {
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        let expected = (try? String(contentsOf: file, encoding: .utf8)) ?? "(no such file)"
        #expect(text == expected, "see \(file.path); record it again with BGRUN_RECORD=1")
    }

    @Test("a host that waits for its store is counted as busy")
    func busyStore() {
        var metrics = Self.metrics(Self.tally())
        metrics.overview.host?.waitsForStoreSince = .epoch
        let text = MetricsText([metrics], version: "9").text
        #expect(text.contains("bgrun_store_busy{app=\"com.example.photos\"} 1\n"))
    }

    @Test("a launch counts once, both while it runs and after its end")
    func launches() {
        let text = MetricsText([Self.metrics(Self.tally())], version: "9").text
        // Three launches have ended; the three that run belong to the wildcard.
        #expect(text.contains("bgrun_launches_total{app=\"com.example.photos\",task=\"a\"} 3\n"))
        #expect(text.contains("bgrun_launches_total{app=\"com.example.photos\",task=\"b.*\"} 3\n"))
    }

    @Test("an attempt that reached a limit counts as a failure, with the limit as its reason")
    func limited() {
        var tally = MetricsTally(through: 0)
        tally.add(ReportTests.run(1, .limited(.memory)), as: "a", isFirst: true)
        #expect(tally.tasks["a"]?.ended == ["limited/memory": 1])
        #expect(tally.tasks["a"]?.failuresInARow == 1)
        let text = MetricsText([Self.metrics(tally)], version: "9").text
        #expect(text.contains("task=\"a\",outcome=\"limited\",reason=\"memory\"} 1\n"))
    }

    @Test("an attempt that is added twice counts once, also when those before it are settled")
    func once() {
        var tally = Self.tally()
        tally.add(ReportTests.run(2, .failed), as: "a", isFirst: true)
        #expect(tally.tasks["a"]?.ended == ["completed": 1, "failed": 1, "expired/power-lost": 1])
        tally.settle(newest: 5, running: [4])
        #expect(tally.through == 3)
        tally.add(ReportTests.run(5), as: "a", isFirst: true)
        tally.settle(newest: 5, running: [4])
        tally.add(ReportTests.run(5), as: "a", isFirst: true)
        tally.add(ReportTests.run(4), as: "a", isFirst: true)
        tally.settle(newest: 5, running: [])
        #expect(tally.through == 5)
        #expect(tally.tasks["a"]?.ended["completed"] == 3)
    }

    @Test("a tally that was stored as JSON is equal after it is read")
    func kept() throws {
        var tally = Self.tally()
        tally.settle(newest: 3, running: [])
        let copy = try JSONDecoder().decode(
            MetricsTally.self, from: JSONEncoder().encode(tally))
        #expect(copy == tally)
    }

    @Test("tasks above the limit are counted together as `other`")
    func bounded() {
        var tally = MetricsTally(through: 0, maximum: 3)
        for attempt in 1...10 {
            tally.add(ReportTests.run(Int64(attempt)), as: "task\(attempt)", isFirst: true)
        }
        #expect(tally.tasks.keys.sorted() == ["other", "task1", "task2", "task3"])
        #expect(tally.tasks["other"]?.ended == ["completed": 7])
    }

    @Test(
        "a success ends failures in a row; attempts that the system took back do not count"
    )
    func failures() {
        var tally = Self.tally()
        #expect(tally.tasks["a"]?.failuresInARow == 1)
        tally.add(ReportTests.run(4), as: "a", isFirst: true)
        #expect(tally.tasks["a"]?.failuresInARow == 0)
        #expect(tally.tasks["a"]?.lastSuccess == ReportTests.run(4).ended)
    }
}
