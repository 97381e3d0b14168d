// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@testable import BGRunControl
@testable import BGRunDashboard

/// A damaged store or journal may contain any date and any count.
@Suite("Pages with extreme numbers", .timeLimit(.minutes(10)))
struct ExtremePagesTests {
    static let extremes: [Int64] = [.min, 0, .max]

    @Test("a date at any distance is shown", arguments: extremes)
    func dates(_ date: Int64) {
        let dates = Dates(now: WallTime(milliseconds: 1), offset: { _ in 0 })
        let text = dates.relative(WallTime(milliseconds: date)).text
        #expect(text.contains(date < 0 ? "ago" : date > 0 ? "in " : "now"))
    }

    @Test("runs, waits and running attempts are shown", arguments: extremes, extremes)
    func pages(_ first: Int64, _ second: Int64) {
        let (begin, end) = (WallTime(milliseconds: first), WallTime(milliseconds: second))
        let run = Run(
            attempt: 1, identifier: "a", kind: .processing, request: 1, due: begin, launched: end,
            ended: begin, duration: Interval(nanoseconds: second), outcome: .failed)
        let task = PageTests.frame().task(
            TaskDetail(
                app: "org.app", identifier: "a", explanation: nil, problem: nil,
                waits: [.init(request: 1, reason: "r", since: begin, until: end, attempt: 1)],
                report: nil, attention: [], attempts: [run, run], messages: [:]))
        #expect(task.contains("<span>r</span>"))
        var app = PageTests.busy
        app.running[0].launched = begin
        app.running[0].until = end
        #expect(
            PageTests.frame().overview([
                AppSummary(overview: app, report: nil, timeline: nil)
            ]).contains("org.app"))
    }

    @Test("a timeline between any dates is drawn", arguments: extremes, extremes)
    func timeline(_ first: Int64, _ second: Int64) {
        let (begin, end) = (WallTime(milliseconds: first), WallTime(milliseconds: second))
        var timeline = PageTests.timeline
        timeline.tracks[0].attempts[0].from = begin
        timeline.tracks[0].attempts[0].to = end
        timeline.tracks[0].waits[0].from = begin
        timeline.bands[1].stretches[0].value = "\(Int.max)%"
        timeline.bands[1].stretches[0].to = end
        let page = PageTests.frame().app("org.app", .week, PageTests.report, timeline)
        #expect(page.contains("height=\"14\""))
    }

    @Test("a report of the largest counts is shown")
    func report() {
        var report = PageTests.report
        for _ in 0..<2 {
            var task = report.tasks[0]
            (task.runs, task.completed, task.failed) = (.max, .max, .max)
            (task.crashed, task.refused, task.success) = (.max, .max, 1e300)
            task.blockers = [
                .init(name: "x", milliseconds: 1), .init(name: "y", milliseconds: .max),
            ]
            report.tasks.append(task)
        }
        let frame = PageTests.frame()
        #expect(frame.app("org.app", .week, report, nil).contains("\(Int.max)"))
        let summary = AppSummary(overview: PageTests.busy, report: report, timeline: nil)
        #expect(frame.overview([summary]).contains("\(Int.max) of \(Int.max)"))
    }
}
