// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunPolicy

/// The data of one app on the overview.
package struct AppSummary: Sendable {
    var overview: AppOverview
    /// Why the other data may be old or missing.
    var problem: String?
    /// Nil while it is being computed.
    var report: SpanReport?
    var timeline: Timeline?
    /// The app's own time; nil: the machine's.
    package var now: WallTime?

    package init(
        overview: AppOverview, problem: String? = nil, report: SpanReport? = nil,
        timeline: Timeline? = nil, now: WallTime? = nil
    ) {
        self.now = now
        self.overview = overview
        self.problem = problem
        self.report = report
        self.timeline = timeline
    }
}

extension PageFrame {
    /// The state of all apps.
    package func overview(_ apps: [AppSummary]) -> String {
        let sections: [HTML] = apps.map { AppSection(frame: at($0.now), summary: $0).html }
        let empty: HTML? =
            apps.isEmpty
            ? """
            <section class="card empty"><h1>No app yet</h1>
            <p>Start one with <code>bgrun --manifest app.yaml</code>; it shows up here.</p></section>
            """ : nil
        return page(
            "Overview", place: Place.overview,
            "<h1 class=\"hidden\">Overview</h1>\(tiles(apps))\(empty)\(sections)")
    }

    private func tiles(_ apps: [AppSummary]) -> HTML? {
        guard !apps.isEmpty else { return nil }
        let running = apps.reduce(0) { $0 + $1.overview.running.count }
        let pending = apps.map(\.overview.pendingCount).saturatingSum
        let attention = apps.reduce(0) { $0 + ($1.report?.attention.count ?? 0) }
        let tasks = apps.flatMap { $0.report?.tasks ?? [] }
        let runs = tasks.map(\.runs).saturatingSum
        let completed = tasks.map(\.completed).saturatingSum
        let hosts = apps.count { $0.overview.host != nil }
        return """
            <div class="tiles" data-live id="tiles">\
            \(Pieces.tile("Running", "\(running)", "now"))\
            \(Pieces.tile("Waiting", "\(pending)", "requests"))\
            \(Pieces.tile("Need attention", "\(attention)", "tasks", attention > 0 ? "bad" : ""))\
            \(Pieces.tile("Completed", runs == 0 ? "–" : "\(completed) of \(runs)", "attempts in 7 days"))\
            \(Pieces.tile("Hosts", "\(hosts) of \(apps.count)", "up"))</div>
            """
    }
}

struct AppSection {
    let frame: PageFrame
    let summary: AppSummary

    private var app: String { summary.overview.app }

    var html: HTML {
        """
        <section class="app" data-live id="app-\(app)">
        \(heading)
        \(Pieces.attention(summary.report?.attention ?? [], app))
        <div class="card"><h3>Timeline <span class="soft">\(begin)</span>\
        <a class="more" href="\(Place.app(app))?span=7d">7 days</a></h3>\(timeline)</div>
        <div class="columns uneven">
        <div><div class="card"><h3>Running</h3>\(running)</div>
        <div class="card"><h3>Waiting <span class="soft">\(summary.overview.pendingCount)</span></h3>\(pending)</div></div>
        <div class="card"><h3>Recent ends</h3>\(recent)</div>
        </div>
        </section>
        """
    }

    private var heading: HTML {
        let wait = summary.overview.storeWait(frame.dates.clock)
        let texts = [wait].compactMap(\.self) + summary.overview.notices
        let notices: [HTML] = (texts + [summary.problem].compactMap(\.self))
            .map { "<p class=\"callout warn\">\($0)</p>" }
        return """
            <div class="heading"><h2><a href="\(Place.app(app))">\(app)</a></h2>\(host)\(budgets)</div>\(notices)
            """
    }

    private var host: HTML {
        guard let host = summary.overview.host else {
            return "<span class=\"pill off\">no host runs</span>"
        }
        let since: HTML? = host.since.map { "<span>since \(frame.dates.relative($0))</span>" }
        return "<span class=\"pill on\">host \(host.process) \(since)</span>"
    }

    private var budgets: [HTML] {
        summary.overview.budgets.map { budget in
            let value =
                budget.isTime
                ? "\(Dates.length(budget.used)) of \(Dates.length(budget.limit))"
                : "\(budget.used) of \(budget.limit)"
            return """
                <span class="budget"><span class="soft">\(budget.name)</span> \(value) \
                \(Pieces.bar(budget.used, of: budget.limit))</span>
                """
        }
    }

    // MARK: running attempts

    private var running: HTML {
        let rows: [HTML] = summary.overview.running.map { attempt in
            let title = attempt.title ?? attempt.identifier
            let subtitle: HTML? = attempt.subtitle.map { "<span class=\"soft\">\($0)</span>" }
            return """
                <li><div class="line"><a href="\(Place.attempt(app, attempt.attempt))">\(title)</a>\
                <span class="soft">\(left(attempt))</span></div>
                \(Pieces.progress(attempt.fraction, "line"))<div class="line"><span class="soft">\(attempt.identifier)</span>\(subtitle)</div>
                \(frame.button("expire", of: Place.task(app, attempt.identifier), "Expire"))</li>
                """
        }
        return Pieces.list(rows, "plain running", orElse: "Nothing runs.")
    }

    private func left(_ attempt: AppOverview.Running) -> String {
        let now = frame.dates.now
        let ran = "\(Dates.length(max(0, now.milliseconds(since: attempt.launched)))) so far"
        if attempt.phase == "waiting" { return "waits for its worker" }
        guard let until = attempt.until, until > now else { return ran }
        let left = Dates.length(until.milliseconds(since: now))
        if attempt.isExpiring { return "\(attempt.phase): \(attempt.reason ?? ""), \(left)" }
        return "\(ran), \(left) left"
    }

    // MARK: pending requests and ended attempts

    private var pending: HTML {
        guard !summary.overview.pending.isEmpty else { return Pieces.soft("Nothing waits.") }
        let shown = summary.overview.pending.prefix(25)
        let rest = [summary.overview.pendingCount, -shown.count].saturatingSum
        let more: HTML? = rest > 0 ? "<p class=\"soft note\">and \(rest) more</p>" : nil
        return """
            \(Pieces.table("Waiting requests", ["Task", "Why it waits", "Next change", "Failures"], shown.map(row)))\(more)
            """
    }

    private func row(_ request: AppOverview.Pending) -> [HTML] {
        let dot = request.blocker == nil ? "early" : "waits"
        let next = request.next ?? (request.blocker == nil ? request.earliest : nil)
        return [
            "<a href=\"\(Place.task(app, request.identifier))\">\(request.identifier)</a>",
            "<i class=\"dot \(dot)\"></i>\(request.reason)",
            next.map { "\(frame.dates.relative($0))" } ?? Pieces.none,
            request.failures == 0
                ? "<span class=\"soft\">0</span>"
                : "<span class=\"badge failed\">\(request.failures)</span>",
        ]
    }

    private var recent: HTML {
        let rows: [HTML] = summary.overview.recent.map { attempt in
            let message: HTML? = attempt.message.map { "<span class=\"soft clip\">\($0)</span>" }
            return """
                <li><div class="line"><a href="\(Place.attempt(app, attempt.attempt))">\(attempt.identifier)</a>\
                <span class="soft">\(frame.dates.relative(attempt.ended))</span></div>
                <div class="line"><span class="line">\(Pieces.outcome(attempt.outcome, attempt.reason))\
                \(message)</span><span class="soft">\(attempt.ran.map(Dates.length) ?? "")</span></div></li>
                """
        }
        return Pieces.list(rows, orElse: "Nothing has ended yet.")
    }

    private var begin: String {
        guard let timeline = summary.timeline else { return "" }
        let length = timeline.until.milliseconds(since: timeline.since)
        return length < 86_000_000 ? "since \(frame.dates.minute(timeline.since))" : "24 hours"
    }

    private var timeline: HTML {
        guard let timeline = summary.timeline else {
            return Pieces.soft("Being drawn; reload in a moment.")
        }
        return TimelineDrawing(timeline: timeline, app: app, dates: frame.dates).html
    }
}
