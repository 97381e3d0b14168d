// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunHost
import BGRunManifest
import BGRunPolicy

/// Writes line by line, on standard error or to the journal: for service managers, files and pipes.
final class LineLog: HostLog {
    private let minimum: LogLine.Level
    private let form: Form
    private let time: LogTime
    /// The app that each line names; nil if only one app writes there.
    private let app: String?
    /// The tenth of its progress that was last logged, by attempt.
    private var tenths: [Int64: Int] = [:]

    /// The format of a line.
    enum Form {
        case text
        /// With the syslog priority first, as `<N>` (sd-daemon(3)).
        case prioritized
        case json
        /// A separate entry, with the fields of `JournalEntry.init(_:app:)`.
        case journal(JournalSocket, app: String?)
    }

    init(minimum: LogLine.Level, form: Form, time: LogTime, app: String? = nil) {
        self.minimum = minimum
        self.form = form
        self.time = time
        self.app = app
    }

    func write(_ line: LogLine) {
        guard line.level >= minimum else { return }
        switch form {
        case .text: put(LogText.plain(line, time, app: app))
        case .prioritized: put("<\(line.level.priority)>" + LogText.untimed(line, app: app))
        case .json: put(json(line))
        case .journal(let journal, let app):
            // Standard error leads to the journal, too, while journald runs.
            if !journal.send(JournalEntry(line, app: app)) {
                put(LogText.plain(line, time, app: self.app))
            }
        }
    }

    /// Writes a line of this process itself.
    func say(_ isError: Bool, _ text: String) {
        write(LogLine(at: time.clock.now.wall, level: isError ? .error : .info, text: text))
    }

    /// Logs a line for each tenth of an attempt's progress.
    func show(_ running: [RunningView]) {
        tenths = tenths.filter { attempt, _ in running.contains { $0.attempt.id == attempt } }
        for view in running {
            guard let fraction = view.fraction else { continue }
            let tenth = Int(clamping: fraction * 10)
            guard tenth > tenths[view.attempt.id] ?? 0 else { continue }
            tenths[view.attempt.id] = tenth
            let title = view.title.map { " \($0)" } ?? ""
            let now = time.clock.now.wall
            write(
                LogLine(
                    at: now, level: .info, handler: view.attempt.request.identifier,
                    text:
                        "progress \(Int(clamping: fraction * 100))% (\(view.completed)/\(view.total))\(title)",
                    attempt: view.attempt.id))
        }
    }

    private func put(_ text: String) { writeError(text + "\n") }

    private func json(_ line: LogLine) -> String {
        let value = JSONValue.members([
            "time": .string(line.at.utcText), "level": .string("\(line.level)"),
            "app": app.map(JSONValue.string), "task": line.handler.map(JSONValue.string),
            "text": .string(line.text),
        ])
        return (try? JSONOutput.line(value)) ?? "{}"
    }
}
