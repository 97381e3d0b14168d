// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunPolicy

/// The contents of a task's page.
package struct TaskDetail: Sendable {
    var app: String
    var identifier: String
    /// The description of the task in the manifest.
    package var description: String?
    /// The present reasons for and against a launch; nil if unknown because of `problem`.
    var explanation: ExplanationView?
    var problem: String?
    /// The past waits of its requests, the newest last; nil while they are being computed.
    var waits: [Explanation.Wait]?
    /// Its runs in the last 7 days; nil while they are being computed.
    var report: TaskReport?
    var attention: [Attention]
    /// Its attempts, the newest first.
    var attempts: [Run]
    /// The last message of each attempt, by its id.
    var messages: [Int64: String]

    package init(
        app: String, identifier: String, explanation: ExplanationView?, problem: String?,
        waits: [Explanation.Wait]?, report: TaskReport?, attention: [Attention],
        attempts: [Run], messages: [Int64: String]
    ) {
        self.app = app
        self.identifier = identifier
        self.explanation = explanation
        self.problem = problem
        self.waits = waits
        self.report = report
        self.attention = attention
        self.attempts = attempts
        self.messages = messages
    }
}

extension PageFrame {
    /// Why a task runs or waits, and its past runs.
    package func task(_ task: TaskDetail) -> String { TaskPage(frame: self, task: task).page }
}

private struct TaskPage {
    let frame: PageFrame
    let task: TaskDetail

    private var dates: Dates { frame.dates }

    var page: String {
        let place = Place.task(task.app, task.identifier)
        let buttons: [HTML] =
            task.explanation?.state == "running"
            ? [frame.button("expire", of: place, "Expire")].compactMap { $0 }
            : [
                frame.button("trigger", of: place, "Launch now"),
                frame.button("submit", of: place, "Submit"),
                task.explanation?.state == "pending"
                    ? frame.button("cancel", of: place, "Cancel the request") : nil,
            ].compactMap { $0 }
        let problem: HTML? = task.problem.map { "<p class=\"callout warn\">\($0)</p>" }
        let description: HTML? = task.description.map { "<p class=\"soft\">\($0)</p>" }
        return frame.page(
            task.identifier,
            path: [("Overview", Place.overview), (task.app, Place.app(task.app))],
            """
            <div data-live id="state">
            <div class="heading"><h1>\(task.identifier)</h1>\(state)<span class="actions">\(buttons)</span></div>
            \(description)\(problem)\(reason)\(Pieces.attention(task.attention, task.app))
            </div>
            \(tiles)
            <section class="card" data-live id="explain"><h2>What decides</h2>\(explanation)</section>
            <div class="columns">
            <section class="card"><h2>Run time</h2>\(RunChart(runs: task.attempts, app: task.app, value: .ran).html)</section>
            <section class="card"><h2>Delay</h2>\(RunChart(runs: task.attempts, app: task.app, value: .late).html)</section>
            </div>
            <div class="columns">
            <section class="card"><h2>Held back by</h2>\(blockers)</section>
            <section class="card"><h2>Waits</h2>\(waits)</section>
            </div>
            <section class="card"><h2>Attempts</h2>\(attempts)</section>
            """)
    }

    // MARK: now

    private var state: HTML? {
        guard let explanation = task.explanation else { return nil }
        let attempt: HTML? = explanation.attempt.map {
            " as <a href=\"\(Place.attempt(task.app, $0))\">attempt \($0)</a>"
        }
        let style = explanation.state == "running" ? "on" : "off"
        return """
            <span class="pill \(style)">\(explanation.state)\(attempt)</span><span class="soft">\(explanation.kind)</span>
            """
    }

    private var reason: HTML? {
        guard let explanation = task.explanation else { return nil }
        if let phase = explanation.phase {
            let text = Self.sentence(phase, explanation.stopReason ?? "time")
            let until: HTML? = explanation.phaseUntil.map {
                "<span class=\"soft\">\(dates.relative($0)), at \(dates.full($0))</span>"
            }
            return "<p class=\"callout info\"><strong>\(text)</strong> \(until)</p>"
        }
        guard let reason = explanation.reason else { return nil }
        let next: HTML? = (explanation.reasonUntil ?? explanation.next).map {
            "<span class=\"soft\">next change \(dates.relative($0)), at \(dates.full($0))</span>"
        }
        return "<p class=\"callout info\"><strong>\(reason)</strong> \(next)</p>"
    }

    /// The next step in that phase of an attempt.
    private static func sentence(_ phase: String, _ reason: String) -> String {
        switch phase {
        case "waiting": "its worker runs another attempt first; its time begins afterwards"
        case "asserting": "it has reported its result and holds an assertion, which ends"
        case "reported": "it has reported its result; SIGTERM follows"
        case "expiring": "it was told to stop (\(reason)); SIGTERM follows"
        case "terminated": "it was sent SIGTERM; SIGKILL follows"
        case "killed": "it was sent SIGKILL; only the kernel is waited for"
        default: "it runs, and is expired (\(reason))"
        }
    }

    private var explanation: HTML {
        guard let explanation = task.explanation else {
            return Pieces.soft("Unknown without its manifest or a host.")
        }
        let styles = ["ok": "good", "no": "bad"]
        let rows: [[HTML]] = explanation.lines.map { line in
            [
                "<span class=\"mark \(styles[line.mark] ?? line.mark)\">\(line.mark)</span> \(line.name)",
                "\(line.subject.rawValue)", "\(line.currentText)", "\(line.needed)",
                line.since.map { "\(dates.relative($0))" } ?? Pieces.none,
                line.until.map { "\(dates.relative($0))" } ?? Pieces.none,
            ]
        }
        return Pieces.table(
            "What decides", ["What", "Sort", "Now", "Needed", "Since", "Until"], rows)
    }

    // MARK: before

    private var tiles: HTML? {
        guard let report = task.report else { return nil }
        let promise = report.promise
        return """
            <div class="tiles">
            \(Pieces.tile("Success", report.success.map(Pieces.percent) ?? "–", "\(report.runs) attempts in 7 days", report.failuresInARow > 2 ? "bad" : ""))\
            \(Pieces.tile("Promise kept", promise.map { "\($0.kept) of \($0.expected)" } ?? "–", "occurrences"))\
            \(Pieces.tile("Late", report.delay.map { Dates.length($0.p50) } ?? "–", report.delay.map { "p95 \(Dates.length($0.p95))" } ?? ""))\
            \(Pieces.tile("Ran", report.runTime.map { Dates.length($0.p50) } ?? "–", report.runTime.map { "p95 \(Dates.length($0.p95))" } ?? ""))\
            \(Pieces.tile("Failures in a row", "\(report.failuresInARow)", report.expiredBy.first.map { "\($0.count) expired: \($0.name)" } ?? ""))
            </div>
            """
    }

    private var blockers: HTML {
        guard let blockers = task.report?.blockers, let longest = blockers.first else {
            return Pieces.soft("Nothing, as far as the journal tells.")
        }
        let rows: [HTML] = blockers.prefix(8).map { blocker in
            """
            <li class="line"><span>\(blocker.name)</span>\
            \(Pieces.bar(blocker.milliseconds, of: longest.milliseconds))\
            <span class="soft">\(Dates.length(blocker.milliseconds))</span></li>
            """
        }
        return "<ul class=\"plain bars\">\(rows)</ul>"
    }

    private var waits: HTML {
        guard let waits = task.waits else { return Pieces.soft("Being made; reload in a moment.") }
        let rows: [HTML] = waits.suffix(10).reversed().map { wait in
            let attempt: HTML? = wait.attempt.map {
                "<a href=\"\(Place.attempt(task.app, $0))\">attempt \($0)</a>"
            }
            let length =
                wait.until.map { Dates.length($0.milliseconds(since: wait.since)) } ?? "still"
            return """
                <li><div class="line"><span>\(wait.reason)</span><span class="soft">\(length)</span></div>
                <div class="line"><span class="soft">\(dates.full(wait.since))</span>\(attempt)</div></li>
                """
        }
        return Pieces.list(rows, orElse: "None, as far as the journal tells.")
    }

    private var attempts: HTML {
        guard !task.attempts.isEmpty else { return Pieces.soft("No attempt has ended yet.") }
        // The attempts of a wildcard belong to several identifiers.
        let isWildcard = task.identifier.hasSuffix(".*")
        let rows: [[HTML]] = task.attempts.prefix(50).map { run in
            let message = task.messages[run.attempt] ?? ""
            let name: HTML =
                "<a href=\"\(Place.task(task.app, run.identifier))\">\(run.identifier)</a>"
            return [
                "<a href=\"\(Place.attempt(task.app, run.attempt))\">\(run.attempt)</a>",
                "<time>\(dates.full(run.launched))</time>",
            ] + (isWildcard ? [name] : []) + [
                Pieces.outcome(run.outcome.name, run.outcome.reason),
                run.duration.map { "\(Dates.length($0.nanoseconds / 1_000_000))" }
                    ?? Pieces.none,
                "\(Dates.length(run.late))", "<span class=\"clip\">\(message)</span>",
            ]
        }
        let columns =
            ["Attempt", "Launched"] + (isWildcard ? ["Task"] : [])
            + ["Outcome", "Ran", "Late", "Message"]
        return Pieces.table("Attempts", columns, rows)
    }
}
