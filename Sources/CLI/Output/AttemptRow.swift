// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunManifest
import BGRunPolicy
import BGRunStorage

/// A finished attempt in tables and JSON.
struct AttemptRow: Encodable {
    var attempt: Int64
    var identifier: String
    var kind: String
    var launched: String
    var ended: String
    var milliseconds: Double?
    var entryMicroseconds: Double?
    /// Its processor time.
    var processorMilliseconds: Double?
    var outcome: String
    var detail: String
    var message: String?
    var failuresBefore: Int
    var droppedLines: Int64
    /// The result of a push: `new-data`, `no-data` or `failed`.
    var result: String?
    /// nil: none.
    var annotations: Annotations?

    /// - Parameter inLocalTime: For people, as in other tables and the log. JSON has UTC.
    init(_ row: HistoryRow, inLocalTime: Bool = false) {
        attempt = row.attempt
        identifier = row.identifier
        kind = row.kind.name
        launched = inLocalTime ? row.launched.localText : row.launched.utcText
        ended = inLocalTime ? row.ended.localText : row.ended.utcText
        milliseconds = row.duration.map { Double($0.nanoseconds) / 1e6 }
        entryMicroseconds = row.entered.map { Double($0.nanoseconds) / 1e3 }
        processorMilliseconds = row.processor.map { Double($0.nanoseconds) / 1e6 }
        outcome = row.outcome.name
        detail = row.outcome.sentence
        message = row.message
        failuresBefore = row.failures
        droppedLines = row.outputDropped
        result = row.result?.name
        annotations = row.annotations.isEmpty ? nil : row.annotations
    }

    static func table(of rows: [AttemptRow]) -> Table {
        let areAnnotated = rows.contains { $0.annotations != nil }
        var table = Table(
            ["ATTEMPT", "ENDED", "IDENTIFIER"] + (areAnnotated ? [Annotations.heading] : [])
                + ["TOOK", "OUTCOME", "MESSAGE"])
        for row in rows {
            table.add(
                ["\(row.attempt)", row.ended, row.identifier]
                    + (areAnnotated ? [row.annotations?.summary ?? "-"] : [])
                    + [row.took, row.ending, LogText.short(row.message ?? "")])
        }
        return table
    }

    /// One complete line.
    var line: String {
        let message = message.map { ": " + LogText.short($0) } ?? ""
        return "\(ended) \(identifier) (attempt \(attempt)) \(ending) after \(took)\(message)"
    }

    private var ending: String { detail + (result.map { " (\($0))" } ?? "") }

    private var took: String {
        milliseconds.map { Interval(nanoseconds: Int64(clamping: $0 * 1e6)).text } ?? "-"
    }
}
