// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy

extension SimulationResult {
    /// The report's section about transfers; empty without any.
    var transfersText: String {
        guard !transfers.isEmpty else { return "" }
        var rows = [
            [
                "TRANSFER", "DONE", "FAILED", "CUT OFF", "PAUSED", "MOVED", "METERED", "TIME p50",
                "max",
            ]
        ]
        for tally in transfers {
            let lengths = tally.lengths.sorted()
            rows.append([
                tally.name, "\(tally.completed)", "\(tally.failed)", "\(tally.cuts)",
                "\(tally.pauses)", bytesText(tally.moved), bytesText(tally.movedMetered),
                lengths.percentile(50).map(timeText) ?? "-", lengths.last.map(timeText) ?? "-",
            ])
        }
        return "\n" + aligned(rows) + "\n"
            + transfers.map { paragraph($0.name, notes(on: $0)) }.joined()
    }

    private func notes(on tally: TransferTally) -> [String] {
        var notes: [String] = []
        if let part = tally.unfinished {
            notes.append("not done: \(bytesText(part.bytes)) of \(bytesText(part.size))")
        } else if tally.completed == 0 {
            notes.append("never begun")
        }
        let blocked = tally.blocked.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        if !blocked.isEmpty {
            notes.append(
                "held up: "
                    + blocked.map { "\($0.key), for \(timeText($0.value))" }.joined(separator: "; ")
            )
        }
        return notes
    }

    var transfersJSON: String {
        JSONText.array(
            transfers.map { tally in
                let blocked = tally.blocked.sorted { $0.key < $1.key }
                return JSONText.object([
                    ("name", JSONText.string(tally.name)), ("submitted", "\(tally.submitted)"),
                    ("completed", "\(tally.completed)"), ("failed", "\(tally.failed)"),
                    ("cuts", "\(tally.cuts)"), ("pauses", "\(tally.pauses)"),
                    ("moved", "\(tally.moved)"), ("moved_metered", "\(tally.movedMetered)"),
                    ("lengths", JSONText.array(tally.lengths.map { Self.json(Double($0), .time) })),
                    (
                        "blocked",
                        JSONText.object(
                            blocked.map { ($0.key, Self.json(Double($0.value), .time)) })
                    ),
                    (
                        "unfinished",
                        tally.unfinished.map {
                            JSONText.object([("bytes", "\($0.bytes)"), ("size", "\($0.size)")])
                        } ?? "null"
                    ),
                ])
            })
    }
}

/// `1.5 GB`: at most three digits.
func bytesText(_ bytes: Int64) -> String {
    var value = Double(bytes)
    for unit in ["B", "kB", "MB", "GB"] {
        if value < 999.5 { return shortNumber(value) + " " + unit }
        value /= 1_000
    }
    return shortNumber(value) + " TB"
}

private func shortNumber(_ value: Double) -> String {
    if value >= 99.95 { return numberText(value, scale: 1) }
    return numberText(value, scale: value < 9.995 ? 100 : 10)
}
