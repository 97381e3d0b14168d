// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

extension SimulationResult {
    /// The run, whose spans must be recorded, as lines of `width` columns: the device above, a row for each task below.
    package func timeline(width: Int, hasColor: Bool) -> String {
        let labels = ["external power", "unmetered"] + tallies.map(\.identifier)
        let label = min((labels.map(\.count).max() ?? 0) + 2, width / 2)
        let columns = max(10, width - label - 1)
        let drawing = Drawing(result: self, label: label, columns: columns, hasColor: hasColor)
        return drawing.text
    }
}

private struct Drawing {
    let result: SimulationResult
    let label: Int
    let columns: Int
    let hasColor: Bool

    var text: String {
        var lines = [axis]
        lines.append(row("external power", device { $0.externalPower == .yes ? "█" : " " }))
        if result.device.changes.contains(where: { $0.state.batteryPercent != nil }) {
            lines.append(row("battery", device(battery)))
        }
        lines.append(row("network", device(network)))
        lines.append(row("idle", device { $0.userIdle == .yes ? "█" : " " }))
        if !result.device.suspended.isEmpty { lines.append(row("suspended", suspended)) }
        lines.append("")
        lines += result.tallies.map { row($0.identifier, track($0)) }
        lines.append("")
        lines += legend
        return lines.map { $0.trimmedAtEnd + "\n" }.joined()
    }

    /// As many entries per line as fit.
    private var legend: [String] {
        [
            "▀ completed", "× failed", "! expired", "░ due, and waits", "· not before its date",
            "█ unmetered network", "▒ metered",
        ].reduce(into: []) { lines, entry in
            if let last = lines.last, last.count + 2 + entry.count <= label + columns {
                lines[lines.count - 1] = last + "  " + entry
            } else {
                lines.append(entry)
            }
        }
    }

    private func row(_ name: String, _ cells: [String]) -> String {
        let shown = name.count < label ? name : "…" + name.suffix(label - 2)
        return shown + String(repeating: " ", count: label - shown.count) + cells.joined()
    }

    /// The instant at the middle of a column.
    private func instant(_ column: Int) -> Int64 {
        Int64(clamping: (Double(column) + 0.5) * Double(result.end) / Double(columns))
    }

    private func column(_ instant: Int64) -> Int {
        min(columns - 1, Int(clamping: Double(instant) * Double(columns) / Double(result.end)))
    }

    private func device(_ cell: (DeviceState) -> String) -> [String] {
        (0..<columns).map { cell(result.device.state(at: instant($0))) }
    }

    private func battery(_ state: DeviceState) -> String {
        guard let percent = state.batteryPercent else { return " " }
        return ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"][min(7, percent * 8 / 100)]
    }

    private func network(_ state: DeviceState) -> String {
        if state.network != .yes { return " " }
        return state.networkMetered == .yes ? "▒" : "█"
    }

    private var suspended: [String] {
        (0..<columns).map { column in
            result.device.awake(at: instant(column)) > instant(column) ? "▒" : " "
        }
    }

    /// Weekdays, or hours of one day.
    private var axis: String {
        var cells = [Character](repeating: " ", count: columns)
        let hour: Int64 = 3_600_000_000_000
        let isDays = result.end > 48 * hour
        var free = 0
        for step in 0...Int(result.end / hour) {
            let instant = Int64(step) * hour
            let civil = result.civil(at: instant)
            guard instant < result.end, !isDays || civil.secondOfDay < 3_600 else { continue }
            let mark = isDays ? civil.weekday.shortName : civil.timeOfDay
            let start = column(instant)
            guard start >= free, start + mark.count <= columns else { continue }
            for (offset, character) in mark.enumerated() { cells[start + offset] = character }
            free = start + mark.count + 1
        }
        return String(repeating: " ", count: label) + String(cells)
    }

    private enum Rank: Int {
        case nothing, notBefore, waits, completed, failed, expired
    }

    /// The most informative event of each column.
    private func track(_ tally: TaskTally) -> [String] {
        var ranks = [Rank](repeating: .nothing, count: columns)
        for span in tally.spans {
            let rank = Self.rank(span.state)
            // fits: instants of the run
            for column in column(span.from)...column(max(span.from, span.to - 1))
            where ranks[column].rawValue < rank.rawValue {
                ranks[column] = rank
            }
        }
        return ranks.map(cell)
    }

    private static func rank(_ state: Span.State) -> Rank {
        switch state {
        case .waited(.notBefore): .notBefore
        case .waited: .waits
        case .runs, .ran(_, .completed): .completed
        case .ran(_, .expired): .expired
        case .ran: .failed
        }
    }

    private func cell(_ rank: Rank) -> String {
        switch rank {
        case .nothing: " "
        case .notBefore: paint("·", "2")
        case .waits: paint("░", "33")
        case .completed: paint("▀", "32")
        case .failed: paint("×", "31")
        case .expired: paint("!", "35")
        }
    }

    private func paint(_ text: String, _ style: String) -> String {
        hasColor ? "\u{1B}[\(style)m\(text)\u{1B}[0m" : text
    }
}
