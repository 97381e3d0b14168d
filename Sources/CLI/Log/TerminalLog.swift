// SPDX-License-Identifier: Apache-2.0

import BGRunHost
import Glibc

/// Lines on a terminal, with the running attempts below them: title, bar, percent, time left.
final class TerminalLog: HostLog {
    private let minimum: LogLine.Level
    private let time: LogTime
    private let hasColor = Terminal.hasColor(STDERR_FILENO)
    private var drawnRows = 0
    private var running: [RunningView] = []

    init(minimum: LogLine.Level, time: LogTime) {
        self.minimum = minimum
        self.time = time
    }

    func write(_ line: LogLine) {
        guard line.level >= minimum else { return }
        redraw(above: colored(LogText.plain(line, time), line.level) + "\n")
    }

    func show(_ running: [RunningView]) {
        self.running = running.filter { $0.hasReported || $0.expiring != nil }
        redraw(above: "")
    }

    private func redraw(above text: String) {
        var output = drawnRows > 0 ? "\u{1B}[\(drawnRows)A\r\u{1B}[J" : ""
        output += text
        let width = Terminal.width(STDERR_FILENO)
        let now = time.clock.now
        let rows = running.map { ProgressRow(view: $0, now: now).text(width: width) }
        output += rows.map { $0 + "\n" }.joined()
        drawnRows = rows.count
        if !output.isEmpty { writeError(output) }
    }

    private func colored(_ text: String, _ level: LogLine.Level) -> String {
        guard hasColor else { return text }
        switch level {
        case .error: return "\u{1B}[31m\(text)\u{1B}[0m"
        case .warning: return "\u{1B}[33m\(text)\u{1B}[0m"
        case .debug: return "\u{1B}[2m\(text)\u{1B}[0m"
        case .info: return text
        }
    }
}
