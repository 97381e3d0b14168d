// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunManifest
import BGRunPolicy
import BGRunStorage

struct HistoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "List attempts and how they ended, the newest first.",
        discussion: """
            With --follow, attempts are listed as they end, the oldest first, until a signal comes.

            Example: bgrun history -m notes.yaml --limit 5
            """)

    @OptionGroup var app: AppOptions

    @Argument(help: "Only attempts of this identifier.")
    var identifier: String?

    @Option(parsing: .unconditional, help: .value("count", "At most this many attempts."))
    var limit = 50

    @OptionGroup var filter: HistoryOptions

    @Flag(help: "Continue, and list each attempt as it ends, until a signal comes.")
    var follow = false

    @Option(help: .value("attempt", "Show the stored output of one attempt."))
    var output: Int64?

    @OptionGroup var format: JSONOption

    func validate() throws {
        if limit < 0 { throw ValidationError("--limit must not be negative") }
        if follow, output != nil {
            throw ValidationError("--follow and --output cannot be combined; see bgrun logs -f")
        }
    }

    func run() throws {
        let manifest = try app.readManifest()
        let state = try app.stateDirectory(of: manifest.app).readable()
        if let identifier { try manifest.requireKnown(identifier, in: state) }
        guard !follow else { return try followHistory(state) }
        do {
            let store = try state.openStoreToRead()
            if let output {
                try store.requireAttempt(output, of: identifier)
                try showOutput(
                    try store.output(attempt: output, after: 0),
                    dropped: try store.ended(output)?.outputDropped ?? 0)
            } else {
                try show(store.history(filter(state), limit: limit), of: state)
            }
        } catch StoreError.missing {
            if let output { throw Store.unknown(output, known: nil) }
            try show([], of: state, isMissing: true)
        }
    }

    private func filter(_ state: StateDirectory) -> HistoryFilter {
        filter.filter(of: identifier, now: SimulatedState.now(of: state))
    }

    private func show(
        _ rows: [HistoryRow], of state: StateDirectory, isMissing: Bool = false
    ) throws {
        let rows = rows.map { AttemptRow($0, inLocalTime: !format.json) }
        if format.json { return print(try JSONOutput.text(rows)) }
        guard limit > 0 else {
            return print("--limit 0 lists nothing; omit --limit to list the last 50 attempts")
        }
        guard !rows.isEmpty else {
            let nothing = filter.isEmpty ? "no attempt has ended yet" : "no such attempt has ended"
            return print(isMissing ? "\(nothing): \(state.notRun)" : nothing)
        }
        print(AttemptRow.table(of: rows).text)
    }

    /// Shows past attempts, then new ones. An attempt may end after one that was launched later, so
    /// the attempts that ran at the previous read are read again.
    private func followHistory(_ state: StateDirectory) throws {
        let filter = filter(state)
        var cursor: Int64?
        var running: Set<Int64> = []
        try StoreWatch.follow(state) { store in
            let newest = try store.newestAttempt()
            let now = Set(try store.running().map(\.attempt.id))
            defer { (cursor, running) = (newest, now) }
            guard let cursor else { return try store.history(filter, limit: limit) }
            return try running.subtracting(now).compactMap { try store.ended($0) }
                + store.ended(after: cursor, limit: .max)
        } show: { rows in
            for row in rows.sorted(by: { ($0.ended, $0.attempt) < ($1.ended, $1.attempt) })
            where filter.accepts(row) {
                let row = AttemptRow(row, inLocalTime: !format.json)
                if format.json { JSONOutput.printLine(row) } else { print(row.line) }
            }
        }
    }

    private func showOutput(_ lines: [NumberedLine], dropped: Int64) throws {
        if format.json {
            let rows = lines.map { $0.line.json(skipped: $0.skipped) }
            return print(try JSONOutput.text(rows))
        }
        for line in lines {
            if let note = OutputGap.note(line.skipped) { print(note) }
            print(LogText.visible(line.line.text))
        }
        let rest = lines.skippedAfterLast(dropped: dropped)
        if let note = OutputGap.note(rest) { print(note) }
    }
}
