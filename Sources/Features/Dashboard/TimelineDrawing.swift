// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunPolicy

/// A timeline as rows of a page, each with a strip that fills the available width: readable on a phone, and without
/// script.
struct TimelineDrawing {
    let timeline: Timeline
    /// The app to whose pages the drawing links; nil: it links to none.
    let app: String?
    let dates: Dates
    /// Round times of the day, or midnights, at most about eight.
    private var ticks: [WallTime] = []
    private var grid: HTML = ""

    init(timeline: Timeline, app: String?, dates: Dates) {
        self.timeline = timeline
        self.app = app
        self.dates = dates
        ticks = makeTicks()
        let lines: [HTML] = ticks.map { line("grid", $0) }
        grid = "\(lines)\(timeline.marks.map { line(Self.style($0), $0.at) })"
    }

    var html: HTML {
        let bands = timeline.bands.compactMap(band)
        let tracks = timeline.tracks.map(track)
        let gap: HTML? = bands.isEmpty ? nil : "<div class=\"gap\"></div>"
        let notes: [HTML] = timeline.gaps.map { "<p class=\"soft note\">\($0)</p>" }
        return """
            <div class="timeline">
            <div class="row axis"><span></span>\(axis)</div>
            \(bands)\(events)\(gap)\(tracks)
            </div>
            \(legend)\(notes)
            """
    }

    // MARK: rows

    private func band(_ band: Timeline.Band) -> HTML? {
        let drawn = band.stretches.compactMap { stretch in rectangle(band.name, stretch) }
        return drawn.isEmpty ? nil : row(band.name, drawn)
    }

    private var events: HTML? {
        guard !timeline.marks.isEmpty else { return nil }
        let drawn: [HTML] = timeline.marks.map { mark in
            let tip = "\(mark.text)\n\(dates.day(mark.at)) \(dates.clock(mark.at))"
            return block(Self.style(mark), mark.at, mark.at, y: 1, 14, tip)
        }
        return row("events", drawn)
    }

    private func row(_ name: String, _ drawn: [HTML]) -> HTML {
        """
        <div class="row band"><span class="name">\(name)</span>\
        <svg class="strip" role="img" aria-label="\(name)">\(grid)\(drawn)</svg></div>

        """
    }

    private func rectangle(_ name: String, _ stretch: Timeline.Stretch) -> HTML? {
        let tip = "\(name): \(stretch.value)\n\(span(stretch.from, stretch.to))"
        if name == "battery" || name == "budget spent" {
            guard let percent = Int(stretch.value.prefix { $0 != "%" }) else { return nil }
            let style = name == "battery" ? name : "budget"
            let height = max(1, 14 * min(max(0, percent), 100) / 100)
            return block(style, stretch.from, stretch.to, y: 15 - height, height, tip)
        }
        guard let style = Self.style(name, stretch) else { return nil }
        return block(style, stretch.from, stretch.to, y: 1, 14, tip)
    }

    /// The colour of a reading; nil if it is not drawn.
    private static func style(_ name: String, _ stretch: Timeline.Stretch) -> String? {
        switch (name, stretch.value) {
        case ("power", "external"): "power"
        case ("network", "unmetered"), ("network", "connected"): "unmetered"
        case ("network", "metered"): "metered"
        case ("suspended", _): "suspended"
        case (_, "yes"): "idle"
        case ("thermal", "fair"): "alert"
        case ("power", _), ("network", _), ("idle", _): nil
        default: stretch.isGood == false ? "alert" : nil
        }
    }

    private static func style(_ mark: Timeline.Mark) -> String {
        mark.text == "app force-quit" ? "quit" : "event"
    }

    private func track(_ track: Timeline.Track) -> HTML {
        let waits: [HTML] = track.waits.map { wait in
            let text = wait.blocker.map { "waits: \($0)" } ?? "its earliest date has not come"
            let tip = "\(text)\n\(span(wait.from, wait.to))"
            return wait.blocker == nil
                ? block("early", wait.from, wait.to, y: 12, 2, tip)
                : block("waits", wait.from, wait.to, y: 8, 10, tip)
        }
        let attempts = merged(track.attempts).map(rectangle)
        return """
            <div class="row track">\(name(track.identifier))\
            <svg class="strip" role="img" aria-label="\(track.attempts.count) attempts of \(track.identifier)">\
            \(grid)\(waits)\(attempts)</svg></div>

            """
    }

    /// Attempts that share one dot on every screen.
    private struct Dot {
        var first: Timeline.Ran
        var to: WallTime
        var count: Int
        var style: String { first.outcome.map { OutcomeStyle($0).rawValue } ?? "runs" }
    }

    /// Merges attempts that look the same and would overlap; those that did not complete are drawn on top.
    private func merged(_ attempts: [Timeline.Ran]) -> [Dot] {
        var dots: [String: [Dot]] = [:]
        for ran in attempts.sorted(by: { ($0.from, $0.attempt) < ($1.from, $1.attempt) }) {
            var dot = Dot(first: ran, to: ran.to, count: 1)
            if let last = dots[dot.style]?.last,
                place(max(ran.to, last.to)) - place(last.first.from) < 0.2
            {
                dots[dot.style]?.removeLast()
                dot = Dot(first: last.first, to: max(ran.to, last.to), count: last.count + 1)
            }
            dots[dot.style, default: []].append(dot)
        }
        return ["runs", "completed", "interrupted", "expired", "failed"].flatMap { dots[$0] ?? [] }
    }

    private func rectangle(_ dot: Dot) -> HTML {
        let how = dot.first.outcome ?? "still runs"
        let what = dot.count > 1 ? "\(dot.count) attempts" : "attempt \(dot.first.attempt)"
        let why = dot.first.reason.map { ": \($0)" } ?? ""
        let tip = "\(what) \(how)\(why)\n\(span(dot.first.from, dot.to))"
        let rectangle = block(dot.style, dot.first.from, dot.to, y: 3, 20, tip)
        guard let app else { return rectangle }
        return """
            <a href="\(Place.attempt(app, dot.first.attempt))" tabindex="-1">\(rectangle)</a>
            """
    }

    private func name(_ identifier: String) -> HTML {
        guard let app else {
            let shown = identifier.count > 26 ? "…" + identifier.suffix(25) : identifier
            return "<span class=\"name\" title=\"\(identifier)\">\(shown)</span>"
        }
        // Without the words that all of them share.
        let shown = identifier.dropFirst(identifier.hasPrefix(app + ".") ? app.count + 1 : 0)
        return """
            <a class="name" href="\(Place.task(app, identifier))" title="\(identifier)">\(shown)</a>
            """
    }

    private var legend: HTML {
        var entries = [
            ("completed", "completed"), ("failed", "failed"), ("expired", "expired"),
            ("interrupted", "interrupted"), ("waits", "due, and something is missing"),
            ("early", "its date has not come"),
        ]
        if app == nil {
            entries += [
                ("unmetered", "unmetered network"), ("metered", "metered network"),
                ("event", "app opened, clock set"), ("quit", "app force-quit"),
            ]
        }
        let items: [HTML] = entries.map { "<li><i class=\"\($0.0)\"></i>\($0.1)</li>" }
        return "<ul class=\"legend\">\(items)</ul>"
    }

    // MARK: coordinates

    private func block(
        _ style: String, _ from: WallTime, _ to: WallTime, y: Int, _ height: Int, _ tip: String
    ) -> HTML {
        let start = place(from)
        let width = max(place(to) - start, 0.2)
        return """
            <rect class="\(style)" x="\(percent(start))" width="\(percent(width))" y="\(y)" \
            height="\(height)" rx="1.5"><title>\(tip)</title></rect>
            """
    }

    private func place(_ date: WallTime) -> Double {
        let all = Double(max(1, length))
        return min(100, max(0, Double(date.milliseconds(since: timeline.since)) * 100 / all))
    }

    private func percent(_ value: Double) -> String {
        let thousandths = Int(clamping: (value * 1_000).rounded())
        return "\(thousandths / 1_000).\((thousandths % 1_000).digits(3))%"
    }

    private func span(_ from: WallTime, _ to: WallTime) -> String {
        let day = dates.day(from)
        let end = (dates.day(to) == day ? "" : dates.day(to) + " ") + dates.clock(to)
        return
            "\(day) \(dates.clock(from)) to \(end), \(Dates.length(to.milliseconds(since: from)))"
    }

    private var length: Int64 { timeline.until.milliseconds(since: timeline.since) }

    private func makeTicks() -> [WallTime] {
        let minute: Int64 = 60_000
        let day = 1_440 * minute
        let step =
            [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1_440, 2_880, 5_760, 10_080].map {
                $0 * minute
            }
            // fits: a day more than a part
            .first { length / $0 <= 8 } ?? (length / 8 / day + 1) * day
        // Zone offsets are multiples of a quarter of an hour.
        let round = [15, 5, 1].map { $0 * minute }.first { step % $0 == 0 } ?? minute
        return stride(
            from: (timeline.since.milliseconds / round).saturatingAdding(1)
                .saturatingMultiplied(by: round),
            to: timeline.until.milliseconds, by: Int(round)
        ).map { WallTime(milliseconds: $0) }.filter { tick in
            let second = dates.secondOfDay(tick) * 1_000
            return step < day
                ? second % step == 0
                : second == 0 && dates.dayNumber(tick) % (step / day) == 0
        }
    }

    private func line(_ style: String, _ date: WallTime) -> HTML {
        let x = percent(place(date))
        return "<line class=\"\(style)\" x1=\"\(x)\" x2=\"\(x)\" y1=\"0\" y2=\"100%\"/>"
    }

    private var axis: HTML {
        let isLong = length > 4 * 86_400_000
        let names: [HTML] = ticks.filter { place($0) < 96 }.map { tick in
            let isDay = isLong || dates.secondOfDay(tick) == 0
            return
                "<text x=\"\(percent(place(tick)))\" y=\"13\">\(isDay ? dates.day(tick) : dates.minute(tick))</text>"
        }
        return "<svg class=\"strip\" aria-hidden=\"true\">\(names)</svg>"
    }
}
