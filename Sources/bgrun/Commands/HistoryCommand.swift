// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunCore
import BGRunHost
import BGRunManifest
import BGRunStore

struct HistoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "List attempts and how they ended, the newest first.")

    @OptionGroup var app: AppOptions

    @Argument(help: "Only attempts of this identifier.")
    var identifier: String?

    @Option(help: ArgumentHelp("At most so many attempts.", valueName: "count"))
    var limit = 50

    @Option(help: ArgumentHelp("Show the stored output of one attempt.", valueName: "attempt"))
    var output: Int64?

    @OptionGroup var format: JSONOption

    private struct Row: Encodable {
        var attempt: Int64
        var identifier: String
        var kind: String
        var launched: String
        var ended: String
        var milliseconds: Double?
        var entryMicroseconds: Double?
        var outcome: String
        var detail: String
        var message: String?
        var failuresBefore: Int
        var droppedLines: Int64
    }

    private struct Line: Encodable {
        var time: String
        var stream: String
        var text: String
    }

    func validate() throws {
        if limit < 0 { throw ValidationError("--limit must not be negative") }
    }

    func run() throws {
        let manifest = try app.readManifest()
        identifier.map { manifest.pointOut(undeclared: $0) }
        try reportingFailures {
            let state = try app.stateDirectory(of: manifest.app).readable()
            do throws(StoreError) {
                let store = try Store.open(state.database, readOnly: true)
                if let output {
                    try showOutput(try store.output(attempt: output))
                } else {
                    try show(try store.history(identifier: identifier, limit: limit))
                }
            } catch {
                guard case .missing = error else { throw error }
                try show([])
            }
        }
    }

    private func show(_ rows: [HistoryRow]) throws(StoreError) {
        let rows = rows.map { row in
            Row(
                attempt: row.attempt, identifier: row.identifier, kind: row.kind.name,
                launched: row.launched.utcText, ended: row.ended.utcText,
                milliseconds: row.duration.map { Double($0.nanoseconds) / 1e6 },
                entryMicroseconds: row.entered.map { Double($0.nanoseconds) / 1e3 },
                outcome: row.outcome.name, detail: row.outcome.sentence, message: row.message,
                failuresBefore: row.failures, droppedLines: row.outputDropped)
        }
        if format.json {
            if let text = try? JSONOutput.text(rows) { print(text) }
            return
        }
        guard !rows.isEmpty else { return print("no attempt has ended yet") }
        var table = Table("ATTEMPT", "ENDED", "IDENTIFIER", "TOOK", "OUTCOME", "MESSAGE")
        for row in rows {
            table.add(
                "\(row.attempt)", row.ended, row.identifier,
                row.milliseconds.map { Interval(nanoseconds: Int64($0 * 1e6)).text } ?? "-",
                row.detail, LogText.short(row.message ?? ""))
        }
        print(table.text)
    }

    private func showOutput(_ lines: [OutputLine]) throws(StoreError) {
        if format.json {
            let lines = lines.map { line in
                Line(time: line.at.utcText, stream: line.stream.rawValue, text: line.text)
            }
            if let text = try? JSONOutput.text(lines) { print(text) }
            return
        }
        for line in lines { print(LogText.visible(line.text)) }
    }
}
