// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

extension SimulationResult {
    /// The report for people. Ends with a line break.
    package var report: String {
        var text = heading
        var rows = [
            [
                "TASK", "LAUNCHES", "PER DAY", "OK", "FAILED", "EXPIRED", "DELAY p50", "p95", "max",
                "WAIT p50", "p95", "max",
            ]
        ]
        for tally in tallies {
            let values = texts(of: tally)
            rows.append(
                [tally.identifier]
                    + [
                        "launches", "launches_per_day", "completed", "failed", "expired",
                        "delay_p50", "delay_p95", "delay_max", "wait_p50", "wait_p95", "wait_max",
                    ].map { values[$0] ?? "-" })
        }
        text += aligned(rows) + "\n"
        text += tallies.map { paragraph($0.identifier, notes(on: $0)) }.joined()
        text += transfersText
        text += budgetText
        for fault in faults { text += "\nbroken promise: \(fault)\n" }
        return text
    }

    /// The spent budget over the run, as the maximum of each column.
    private var budgetText: String {
        guard budgetLimit > .zero else { return "" }
        let title = "\nbudget: \(timeText(budgetLimit.nanoseconds)), "
        guard let peak = budget.peak, peak.spent > .zero else { return title + "nothing spent\n" }
        let columns: Int64 = 60
        let bars = Array("▁▂▃▄▅▆▇█")
        let line = (0..<columns).map { column in
            let (from, to) = (end / columns * column, end / columns * (column + 1))
            let most = budget.points.filter { (from..<to).contains($0.at) }.map(\.spent).max()
            let spent = max(most ?? .zero, budget.spent(at: from))
            let part = Double(spent.nanoseconds) / Double(budgetLimit.nanoseconds)
            return spent == .zero ? " " : bars[min(7, Int(part * 8))]
        }
        let date = civil(at: peak.at)
        return title
            + "at most \(timeText(peak.spent.nanoseconds)) spent (\(date.weekday.shortName) "
            + "\(date.timeOfDay))\n  |" + String(line) + "|\n"
    }

    /// The length, beginning, zone and seed.
    package var summary: String {
        "\(timeText(end)) from \(civil(at: 0).text) \(scenario.zone.name), seed \(seed)"
    }

    private var heading: String {
        """
        \(scenario.name): \(summary)
        delay: from being pending to a launch; wait: the part of it after the earliest date

        """ + "\n"
    }

    private func notes(on tally: TaskTally) -> [String] {
        var notes: [String] = []
        if tally.launches == 0 { notes.append("never launched") }
        if tally.isStarved(until: end) {
            notes.append(
                "starved: due for \(timeText(tally.longestWait(until: end))) without a launch")
        }
        if tally.expirations > 0 {
            let reasons = StopReason.allCases.compactMap { reason in
                tally.expired[reason].map { "\(reason.name) \($0)" }
            }
            notes.append("expired: " + reasons.joined(separator: ", "))
        }
        for (message, count) in tally.refusals.sorted(by: { $0.key < $1.key }) {
            notes.append("refused \(count) times: \(message)")
        }
        for (name, count) in [
            ("replaced by a newer request", tally.replaced), ("cancelled", tally.cancelled),
            ("skipped", tally.skipped), ("dates missed", tally.missed),
            ("retried after a failure", tally.retries),
            ("requeued after an expiration", tally.requeues), ("given up", tally.gaveUp),
        ] where count > 0 {
            notes.append("\(name): \(count)")
        }
        let blocked = tally.blocked.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        if !blocked.isEmpty {
            notes.append(
                "held up by: "
                    + blocked.map { "\($0.key) for \(timeText($0.value))" }.joined(separator: "; "))
        }
        return notes
    }
}

/// The notes on a task or transfer; empty without any.
func paragraph(_ title: String, _ notes: [String]) -> String {
    notes.isEmpty ? "" : "\n\(title)\n" + notes.map { "  \($0)\n" }.joined()
}

/// Rows in columns, the first left-aligned, the others right-aligned.
func aligned(_ rows: [[String]]) -> String {
    let columns = rows.map(\.count).max() ?? 0
    let widths = (0..<columns).map { column in
        rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
    }
    return rows.map { row in
        let cells = row.enumerated().map { column, cell in
            let padding = String(repeating: " ", count: widths[column] - cell.count)
            return column == 0 ? cell + padding : padding + cell
        }
        return cells.joined(separator: "  ").trimmedAtEnd
    }.joined(separator: "\n")
}

extension String {
    var trimmedAtEnd: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}
