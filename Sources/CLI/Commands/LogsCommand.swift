// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunManifest
import BGRunStorage

struct LogsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logs",
        abstract: "Show the output and log messages of attempts in order.",
        discussion: """
            Shows each line with its time, identifier and attempt. Works with and without a \
            running host. With --follow it continues when a host ends and another one starts, and \
            waits for an attempt that is not stored yet.

            Example: bgrun logs -m notes.yaml --follow
            """)

    @OptionGroup var app: AppOptions

    @Argument(help: "Only attempts of this identifier.")
    var identifier: String?

    @Flag(
        name: .shortAndLong,
        help: "Continue, and show each line as it is stored, until a signal comes.")
    var follow = false

    @Option(
        parsing: .unconditional,
        help: .value(
            "time", "Lines written then or later: 1h or -1h ago, 14:30 today, or a date and time."),
        transform: TimeArgument.parsePast)
    var since: TimeArgument?

    @Option(help: .value("number", "Only this attempt."))
    var attempt: Int64?

    @Option(
        name: [.customShort("n"), .long], parsing: .unconditional,
        help: .value("count", "Begin with at most this many of the newest lines. (default: 1000)"),
        transform: CountArgument.parse)
    var lines = 1_000

    @Flag(help: "Print JSON, one object a line.")
    var json = false

    func validate() throws {
        if lines < 0 { throw ValidationError("--lines must not be negative") }
    }

    func run() throws {
        let manifest = try app.readManifest()
        let state = try app.stateDirectory(of: manifest.app).readable()
        if let identifier { try manifest.requireKnown(identifier, in: state) }
        var reader = OutputReader(
            identifier: identifier, attempt: attempt,
            since: since?.date(at: SimulatedState.now(of: state)))
        guard !follow else {
            var isFirst = true
            return try StoreWatch.follow(state) { store in
                defer { isFirst = false }
                return isFirst ? try reader.last(lines, of: store) : try reader.next(of: store)
            } show: {
                for line in $0 { show(line) }
            }
        }
        do {
            let store = try state.openStoreToRead()
            if let attempt { try store.requireAttempt(attempt, of: identifier) }
            for line in try store.snapshot({ try reader.last(lines, of: store) }) { show(line) }
        } catch StoreError.missing {
            if let attempt { throw Store.unknown(attempt, known: nil) }
            complain(state.notRun)
        }
    }

    private func show(_ written: OutputReader.Written) {
        let line = written.line
        guard json else {
            let start =
                "\(line.at.localText) \(LogText.visible(written.identifier))[\(written.attempt)] "
            if let note = OutputGap.note(written.skipped) { print(start + note) }
            return print(start + LogText.visible(line.text))
        }
        JSONOutput.printLine(
            line.json(
                skipped: written.skipped, of: written.identifier, attempt: written.attempt))
    }
}
