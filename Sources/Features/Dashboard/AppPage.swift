// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunPolicy

/// The spans that an app's page can show.
package enum PageSpan: String, CaseIterable, Sendable {
    case day = "24h"
    case week = "7d"
    case month = "30d"

    /// In milliseconds.
    package var length: Int64 {
        switch self {
        case .day: 86_400_000
        case .week: 604_800_000
        case .month: 2_592_000_000
        }
    }
}

extension PageFrame {
    /// The runs of an app's tasks in a span. A nil part is not known yet.
    package func app(
        _ app: String, _ span: PageSpan, _ report: SpanReport?, _ timeline: Timeline?
    ) -> String {
        let spans: [HTML] = PageSpan.allCases.map { choice in
            let mark: HTML = choice == span ? " aria-current=\"page\"" : ""
            return "<a href=\"?span=\(choice.rawValue)\"\(mark)>\(choice.rawValue)</a>"
        }
        let soon = Pieces.soft("Being made; reload in a moment.")
        let drawing = timeline.map { TimelineDrawing(timeline: $0, app: app, dates: dates).html }
        let table = report.map { ReportTable(report: $0, dates: dates).html }
        return page(
            app, path: [("Overview", "/")],
            """
            <div class="heading"><h1>\(app)</h1><nav class="spans" aria-label="Span">\(spans)</nav></div>
            \(Pieces.attention(report?.attention ?? [], app))
            <section class="card"><h2>Timeline</h2>\(drawing ?? soon)</section>
            <section class="card"><h2>Tasks</h2>\(table ?? soon)</section>
            """)
    }
}

/// The runs of each task, in rows.
private struct ReportTable {
    let report: SpanReport
    let dates: Dates

    var html: HTML {
        let columns = [
            "Task", "Attempts", "Success", "Promise kept", "Late p50", "Late p95", "Ran p50",
            "Ran p95", "Held back by",
        ]
        return """
            \(Pieces.table("Tasks", columns, report.tasks.map(row)))
            <p class="soft note">Attempts that ended from \(dates.full(report.since)) on. \
            \(journal)</p>
            """
    }

    private var journal: String {
        let begins = report.journalBegins.map {
            "The reasons for waiting are known since \(dates.full($0)). "
        }
        return (begins ?? "The reasons for waiting are unknown. ") + (report.journalGap ?? "")
    }

    private func row(_ task: TaskReport) -> [HTML] {
        let none: HTML = Pieces.none
        func length(_ value: Int64?) -> HTML { value.map { "\(Dates.length($0))" } ?? none }
        return [
            "<a href=\"\(Place.task(report.app, task.identifier))\">\(task.identifier)</a>",
            ShareBar(task: task).html, task.success.map { "\(Pieces.percent($0))" } ?? none,
            task.promise.map { "\($0.kept) of \($0.expected)" } ?? none,
            length(task.delay?.p50), length(task.delay?.p95), length(task.runTime?.p50),
            length(task.runTime?.p95),
            task.blockers.first.map {
                "\($0.name) <span class=\"soft\">\(Dates.length($0.milliseconds))</span>"
            }
                ?? none,
        ]
    }
}

/// The number of attempts with each outcome.
struct ShareBar {
    let task: TaskReport

    var html: HTML {
        guard task.runs > 0 else { return "<span class=\"soft\">0</span>" }
        var x = 0.0
        let parts: [HTML] = [
            ("completed", task.completed), ("expired", task.expired),
            ("failed", task.failures),
            ("interrupted", task.interrupted),
        ].compactMap { name, count in
            guard count > 0 else { return nil }
            let width = Double(count) * 100 / Double(task.runs)
            defer { x += width }
            return """
                <rect class="\(name)" x="\(Int(clamping: x.rounded()))%" width="\(max(2, Int(clamping: width.rounded(.up))))%" \
                height="8"><title>\(count) \(name)</title></rect>
                """
        }
        return
            "<span class=\"share\">\(task.runs)<svg role=\"img\" aria-label=\"\(task.completed) completed of \(task.runs)\">\(parts)</svg></span>"
    }
}
