// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy

extension SimulationResult {
    /// The run, whose spans must be recorded, as one HTML page: the device above, a lane for each task below.
    package var page: String {
        let drawing = PageDrawing(result: self)
        return """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(escaped(scenario.name)) - bgrun simulate</title>
            <style>\(TimelineStyle.css)</style>
            </head>
            <body>
            <header>
            <h1>\(escaped(scenario.name))</h1>
            <p>\(timeText(end)) from \(civil(at: 0).text) \(escaped(scenario.zone.name)), \
            seed \(seed); drawn by <code>bgrun simulate</code></p>
            </header>
            <figure>
            \(drawing.svg)
            </figure>
            <ul class="legend">\(TimelineStyle.legend)</ul>
            <div class="table"><table>
            \(drawing.table)
            </table></div>
            <output id="tip" hidden></output>
            <script>\(TimelineStyle.script)</script>
            </body>
            </html>

            """
    }
}

/// Text escaped for HTML and attributes.
func escaped(_ text: String) -> String {
    var result = ""
    for character in text {
        switch character {
        case "&": result += "&amp;"
        case "<": result += "&lt;"
        case ">": result += "&gt;"
        case "\"": result += "&quot;"
        default: result.append(character)
        }
    }
    return result
}

private struct PageDrawing {
    let result: SimulationResult

    private let left = 210.0
    private let width = 1_180.0
    private let bandHeight = 18.0
    private let laneHeight = 30.0
    private let top = 34.0

    var svg: String {
        var rows: [String] = []
        var y = top
        for band in bands {
            rows.append(label(band.name, y: y, height: bandHeight))
            rows.append(band.drawing(y))
            y += bandHeight + 6
        }
        y += 12
        rows.append(markers(from: top - 8, to: y + Double(result.tallies.count) * (laneHeight + 8)))
        for tally in result.tallies {
            rows.append(label(tally.identifier, y: y, height: laneHeight, isTask: true))
            rows.append(
                "<rect class=\"lane\" x=\"\(text(left))\" y=\"\(text(y))\" width=\"\(text(width))\" "
                    + "height=\"\(text(laneHeight))\" rx=\"4\"/>")
            rows += tally.spans.sorted { ($0.rank, $0.from) < ($1.rank, $1.from) }.map {
                rectangle($0, y: y)
            }
            y += laneHeight + 8
        }
        let height = y + 6
        return """
            <svg viewBox="0 0 \(text(left + width + 16)) \(text(height))" role="img" \
            aria-label="Timeline">
            \(axis(height: height - 6))
            \(rows.joined(separator: "\n"))
            </svg>
            """
    }

    var table: String {
        let columns = [
            "launches", "launches_per_day", "completed", "failed", "expired", "wait_p50",
            "wait_p95", "wait_max",
        ]
        let names = [
            "Launches", "per day", "Completed", "Failed", "Expired", "Wait p50", "p95", "max",
        ]
        let head =
            "<thead><tr><th>Task</th>" + names.map { "<th>\($0)</th>" }.joined()
            + "<th>Held up by</th></tr></thead>"
        let rows = result.tallies.map { tally in
            let values = result.texts(of: tally)
            let blocked = tally.blocked.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
                .map {
                    "<div><span>\(escaped($0.key))</span><span>\(timeText($0.value))</span></div>"
                }.joined()
            return "<tr><th>\(escaped(tally.identifier))</th>"
                + columns.map { "<td>\(values[$0] ?? "-")</td>" }.joined()
                + "<td class=\"why\">\(blocked.isEmpty ? "-" : blocked)</td></tr>"
        }
        return head + "<tbody>" + rows.joined(separator: "\n") + "</tbody>"
    }

    // MARK: the device

    private struct Band {
        let name: String
        let drawing: (Double) -> String
    }

    private var bands: [Band] {
        var bands: [Band] = []
        func add(
            _ name: String, isRare: Bool = true,
            _ kind: @escaping (DeviceState) -> (name: String, title: String)?
        ) {
            let isShown = !isRare || result.device.changes.contains { kind($0.state) != nil }
            if isShown { bands.append(Band(name: name) { y in stretches(y, kind) }) }
        }
        add("Power", isRare: false) {
            $0.externalPower == .yes ? ("power", "external power") : nil
        }
        if result.device.changes.contains(where: { $0.state.batteryPercent != nil }) {
            bands.append(Band(name: "Battery", drawing: battery))
        }
        add("Network", isRare: false) { state in
            guard state.network == .yes else { return nil }
            return state.networkMetered == .yes
                ? ("metered", "metered network") : ("unmetered", "unmetered network")
        }
        add("Idle", isRare: false) {
            $0.userIdle == .yes ? ("idle", "the device is not in use") : nil
        }
        if result.budget.peak.map({ $0.spent > .zero }) ?? false {
            bands.append(Band(name: "Budget spent", drawing: budget))
        }
        add("Low power mode") { $0.lowPowerMode == .yes ? ("alert", "low power mode") : nil }
        add("Thermal") { state in
            guard let thermal = state.thermal, thermal > .nominal else { return nil }
            return ("alert", "thermal state \(thermal.name)")
        }
        add("Storage") { $0.storageLow == .yes ? ("alert", "storage is low") : nil }
        add("Pressure") { $0.pressure == .yes ? ("alert", "under pressure") : nil }
        if !result.device.suspended.isEmpty {
            bands.append(
                Band(name: "Suspended") { y in
                    result.device.suspended.map {
                        block($0.lowerBound, $0.upperBound, y, bandHeight, "suspended", "suspended")
                    }.joined(separator: "\n")
                })
        }
        return bands
    }

    /// Merges neighbouring changes that look the same.
    private func stretches(
        _ y: Double, _ kind: (DeviceState) -> (name: String, title: String)?
    ) -> String {
        var blocks: [String] = []
        var current: (from: Int64, name: String, title: String)?
        func finish(at end: Int64) {
            guard let current else { return }
            blocks.append(block(current.from, end, y, bandHeight, current.name, current.title))
        }
        for change in result.device.changes {
            let next = kind(change.state)
            guard next?.name != current?.name || next?.title != current?.title else { continue }
            finish(at: change.at)
            current = next.map { (change.at, $0.name, $0.title) }
        }
        finish(at: result.end)
        return blocks.joined(separator: "\n")
    }

    private func battery(_ y: Double) -> String {
        var points: [String] = []
        var last: Int?
        for change in result.device.changes {
            guard let percent = change.state.batteryPercent, percent != last else { continue }
            last = percent
            points.append(
                "\(text(x(change.at))),\(text(y + bandHeight * (1 - Double(percent) / 100)))")
        }
        guard let last else { return "" }
        points.append("\(text(x(result.end))),\(text(y + bandHeight * (1 - Double(last) / 100)))")
        return polygon("battery", "battery", y, points)
    }

    /// The full height is the full budget.
    private func budget(_ y: Double) -> String {
        let limit = Double(result.budgetLimit.nanoseconds)
        let points = result.budget.points.map { point in
            let part = min(1, Double(point.spent.nanoseconds) / limit)
            return "\(text(x(point.at))),\(text(y + bandHeight * (1 - part)))"
        }
        return polygon("budget", "spent of \(timeText(result.budgetLimit.nanoseconds))", y, points)
    }

    private func polygon(
        _ kind: String, _ title: String, _ y: Double, _ points: [String]
    ) -> String {
        let bottom = text(y + bandHeight)
        return "<polygon class=\"\(kind)\" data-tip=\"\(title)\" points=\"\(text(left)),\(bottom) "
            + points.joined(separator: " ") + " \(text(left + width)),\(bottom)\"/>"
    }

    // MARK: tasks

    private func rectangle(_ span: Span, y: Double) -> String {
        let clock = "\(day(span.from)) to \(day(span.to)), \(timeText(span.to - span.from))"
        switch span.state {
        case .waited(let state):
            let isEarly = state == .notBefore
            return block(
                span.from, span.to, y + (isEarly ? laneHeight / 2 - 1 : 8),
                isEarly ? 2 : laneHeight - 16, isEarly ? "early" : "waits",
                "\(state.text)\n\(clock)")
        case .runs(let attempt):
            return block(
                span.from, span.to, y + 3, laneHeight - 6, "completed",
                "attempt \(attempt) still runs\n\(clock)")
        case .ran(let attempt, let outcome):
            var title = "attempt \(attempt) \(outcome.name)"
            if case .expired(let reason, _) = outcome { title += ": \(reason.name)" }
            return block(
                span.from, span.to, y + 3, laneHeight - 6, span.style, "\(title)\n\(clock)")
        }
    }

    // MARK: coordinates

    private func block(
        _ from: Int64, _ to: Int64, _ y: Double, _ height: Double, _ kind: String, _ title: String
    ) -> String {
        let start = x(from)
        let shown = max(x(to) - start, 1.5)
        return "<rect class=\"\(kind)\" x=\"\(text(start))\" y=\"\(text(y))\" "
            + "width=\"\(text(shown))\" height=\"\(text(height))\" data-tip=\"\(escaped(title))\"/>"
    }

    private func label(_ name: String, y: Double, height: Double, isTask: Bool = false) -> String {
        let shown = name.count > 30 ? "…" + name.suffix(29) : name
        return "<text class=\"\(isTask ? "task" : "band")\" x=\"\(text(left - 12))\" "
            + "y=\"\(text(y + height / 2 + 4))\"><title>\(escaped(name))</title>\(escaped(shown))</text>"
    }

    /// A line and a label at each midnight, or every few hours of a short scenario.
    private func axis(height: Double) -> String {
        let hour: Int64 = 3_600_000_000_000
        let days = max(1, result.end / (24 * hour))
        let hours: Int64 = days > 2 ? 24 * max(1, days / 14) : result.end > 12 * hour ? 6 : 1
        var lines: [String] = []
        for step in 0...(result.end / hour) {
            let instant = step * hour
            let civil = result.civil(at: instant)
            guard instant < result.end else { continue }
            let place = text(x(instant - civil.secondOfDay % 3_600 * 1_000_000_000))
            if hours == 24, civil.secondOfDay / 3_600 == 12 {
                lines.append(
                    "<line class=\"noon\" x1=\"\(place)\" x2=\"\(place)\" y1=\"22\" "
                        + "y2=\"\(text(height))\"/>")
            }
            guard step == 0 && hours >= 24 || civil.secondOfDay < 3_600 || hours < 24,
                step == 0 && hours >= 24 || CivilTime.modulo(civil.seconds / 3_600, hours) == 0
            else { continue }
            let name =
                hours < 24
                ? civil.timeOfDay : "\(civil.weekday.shortName) \(civil.date.day)"
            lines.append(
                "<line class=\"grid\" x1=\"\(place)\" x2=\"\(place)\" y1=\"22\" y2=\"\(text(height))\"/>"
                    + "<text class=\"axis\" x=\"\(place)\" y=\"15\">\(name)</text>")
        }
        return lines.joined(separator: "\n")
    }

    private func markers(from top: Double, to bottom: Double) -> String {
        result.marks.map { mark in
            let place = text(x(mark.at))
            let isQuit = mark.text == "app force-quit"
            let name =
                isQuit
                ? "<text class=\"quit\" x=\"\(place)\" y=\"\(text(top - 1))\">force-quit</text>"
                : ""
            return name
                + "<line class=\"\(isQuit ? "quit" : "mark")\" x1=\"\(place)\" x2=\"\(place)\" y1=\"\(text(top))\" "
                + "y2=\"\(text(bottom))\" data-tip=\"\(escaped("\(mark.text)\n\(day(mark.at))"))\"/>"
        }.joined(separator: "\n")
    }

    private func x(_ instant: Int64) -> Double {
        left + Double(max(0, instant)) * width / Double(result.end)
    }

    private func day(_ instant: Int64) -> String {
        let civil = result.civil(at: instant)
        return "\(civil.weekday.shortName) \(civil.timeOfDay)"
    }

    private func text(_ value: Double) -> String { numberText(value) }
}

extension Span {
    /// Higher ones are drawn over lower ones.
    fileprivate var rank: Int {
        switch state {
        case .waited(.notBefore): 0
        case .waited: 1
        case .runs, .ran: 2
        }
    }

    fileprivate var style: String {
        switch state {
        case .ran(_, .completed), .runs: "completed"
        case .ran(_, .expired): "expired"
        default: "failed"
        }
    }
}
