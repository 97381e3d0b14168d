// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunPolicy

/// The contents of an attempt's page.
package struct AttemptDetail: Sendable {
    var app: String
    var number: Int64
    var identifier: String
    /// Nil while it runs.
    var run: Run?
    /// Nil once it is over.
    var running: AppOverview.Running?
    /// Names and values, in order.
    var facts: [(String, String)]
    var output: [Line]
    /// A note that lines after the last one were not kept.
    var lastGap: String?
    /// The number of earlier lines that are not shown.
    var hiddenLines: Int
    var events: [(at: WallTime, text: String)]

    /// A line that the attempt wrote.
    package struct Line: Sendable {
        var at: WallTime
        /// `stdout`, `stderr` or `log`.
        var stream: String
        var text: String
        /// A note that lines right before it were not kept.
        var gap: String?

        package init(at: WallTime, stream: String, text: String, gap: String? = nil) {
            self.gap = gap
            self.at = at
            self.stream = stream
            self.text = text
        }
    }

    package init(
        app: String, number: Int64, identifier: String, run: Run?, running: AppOverview.Running?,
        facts: [(String, String)], output: [Line],
        lastGap: String? = nil, hiddenLines: Int, events: [(at: WallTime, text: String)]
    ) {
        self.app = app
        self.number = number
        self.identifier = identifier
        self.run = run
        self.running = running
        self.facts = facts
        self.output = output
        self.lastGap = lastGap
        self.hiddenLines = hiddenLines
        self.events = events
    }
}

extension PageFrame {
    /// The known data of one attempt.
    package func attempt(_ attempt: AttemptDetail) -> String {
        let state: HTML =
            attempt.run.map { Pieces.outcome($0.outcome.name, $0.outcome.reason) }
            ?? "<span class=\"pill on\">running</span>"
        let facts: [HTML] = attempt.facts.map { "<dt>\($0.0)</dt><dd>\($0.1)</dd>" }
        let gap = { (note: String) -> HTML in "<span class=\"soft\">\(note)\n</span>" }
        var lines = attempt.output.map { line -> HTML in
            """
            \(line.gap.map(gap))<span class="\(line.stream)"><time>\(dates.clock(line.at))</time> \
            \(line.text)\n</span>
            """
        }
        if let last = attempt.lastGap { lines.append(gap(last)) }
        let hidden: HTML? =
            attempt.hiddenLines > 0
            ? "<p class=\"soft note\">\(attempt.hiddenLines) lines before are not shown.</p>" : nil
        let events: [HTML] = attempt.events.map {
            "<li><span class=\"soft\">\(dates.full($0.at))</span> \($0.text)</li>"
        }
        let output: HTML =
            lines.isEmpty
            ? Pieces.soft("Nothing.") : "\(hidden)<pre tabindex=\"0\">\(lines)</pre>"
        let log = Pieces.list(events, orElse: "Nothing.")
        let progress = attempt.running.map { Pieces.progress($0.fraction, "line wide") }
        return page(
            "Attempt \(attempt.number)",
            path: [
                ("Overview", Place.overview), (attempt.app, Place.app(attempt.app)),
                (attempt.identifier, Place.task(attempt.app, attempt.identifier)),
            ],
            """
            <div data-live id="attempt">
            <div class="heading"><h1>Attempt \(attempt.number)</h1>\(state)</div>\(progress)
            <section class="card"><h2>Facts</h2><dl>\(facts)</dl></section>
            <section class="card"><h2>Output</h2>\(output)</section>
            <section class="card"><h2>Events</h2>\(log)</section>
            </div>
            """)
    }
}
