// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunPolicy
import BGRunSimulation

extension SimulationResult {
    /// The run, whose spans must be recorded, as one HTML file that loads nothing: the timeline and the tallies.
    package var page: String {
        let timeline = Timeline(self)
        let zone = scenario.zone
        let dates = Dates(now: timeline.until) { Int(zone.offset(at: $0.milliseconds / 1_000)) }
        return Pieces.file(
            "\(scenario.name) - bgrun simulate",
            head: "<style>\(HTML(stringLiteral: Assets.style))</style>",
            """
            <main>
            <h1>\(scenario.name)</h1>
            <p class="soft">\(summary); drawn by <code>bgrun simulate</code></p>
            <section class="card">\(TimelineDrawing(timeline: timeline, app: nil, dates: dates).html)</section>
            <section class="card">\(table)</section>
            </main>
            """)
    }

    private var table: HTML {
        let columns = [
            ("Launches", "launches"), ("per day", "launches_per_day"), ("Completed", "completed"),
            ("Failed", "failed"), ("Expired", "expired"), ("Wait p50", "wait_p50"),
            ("Wait p95", "wait_p95"), ("Wait max", "wait_max"),
        ]
        let rows = tallies.map { tally in
            let values = texts(of: tally)
            let cells: [HTML] = columns.map { "\(values[$0.1] ?? "-")" }
            let blocked = tally.blocked.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            let obstacles: [HTML] = blocked.map {
                "<div class=\"line\"><span>\($0.key)</span><span>\(timeText($0.value))</span></div>"
            }
            return ["\(tally.identifier)"] + cells
                + [obstacles.isEmpty ? Pieces.none : "\(obstacles)"]
        }
        return Pieces.table("Tasks", ["Task"] + columns.map(\.0) + ["Held up by"], rows)
    }
}

extension Timeline {
    fileprivate init(_ result: SimulationResult) {
        func date(_ instant: Int64) -> WallTime {
            WallTime(milliseconds: result.originMilliseconds + instant / 1_000_000)
        }
        self.init(since: date(0), until: date(result.end))
        let changes = result.device.changes
        for (change, end) in zip(changes, changes.dropFirst().map(\.at) + [result.end]) {
            add(change.state, from: date(change.at), to: date(end))
            for reading in PlainReading.all where reading.required == nil {
                let value = reading.text(change.state[keyPath: reading.path])
                add(reading.name, value, from: date(change.at), to: date(end))
            }
        }
        for time in result.device.suspended {
            let end = min(time.upperBound, result.end)
            add("suspended", "yes", from: date(time.lowerBound), to: date(end))
        }
        for (from, to, share) in result.budgetShares {
            add("budget spent", share, from: date(from), to: date(to))
        }
        marks = result.marks.map { Mark(at: date($0.at), text: $0.text) }
        tracks = result.tallies.map { tally in
            var track = Track(identifier: tally.identifier)
            for span in tally.spans { track.add(span, date(span.from), date(span.to)) }
            return track
        }
    }
}

extension Timeline.Track {
    fileprivate mutating func add(_ span: Span, _ from: WallTime, _ to: WallTime) {
        func ran(_ attempt: Int64, _ outcome: Outcome?) {
            attempts.append(
                Timeline.Ran(attempt: attempt, from: from, to: to, outcome: outcome))
        }
        switch span.state {
        case .waited(let state):
            let blocker = state.blockers.isEmpty ? nil : state.blockers.joined(separator: ", ")
            waits.append(Timeline.Waited(from: from, to: to, blocker: blocker))
        case .ran(let attempt, let outcome): ran(attempt, outcome)
        case .runs(let attempt): ran(attempt, nil)
        }
    }
}
