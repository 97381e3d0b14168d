// SPDX-License-Identifier: Apache-2.0

import BGRunCore
import BGRunHost
import Foundation
import Glibc

/// Plain lines on standard error: for journals, files and pipes.
final class LineLog: HostLog {
    private let minimum: LogLine.Level
    private let isJSON: Bool
    private let time: LogTime
    /// The tenth of its progress an attempt was last said to have reached.
    private var tenths: [Int64: Int] = [:]

    init(minimum: LogLine.Level, json: Bool, time: LogTime) {
        self.minimum = minimum
        isJSON = json
        self.time = time
    }

    func write(_ line: LogLine) {
        guard line.level >= minimum else { return }
        put(isJSON ? json(line) : LogText.plain(line, time))
    }

    /// A line for each tenth of an attempt's progress.
    func show(_ running: [RunningView]) {
        tenths = tenths.filter { attempt, _ in running.contains { $0.attempt.id == attempt } }
        for view in running {
            guard let fraction = view.fraction else { continue }
            let tenth = Int(fraction * 10)
            guard tenth > tenths[view.attempt.id] ?? 0 else { continue }
            tenths[view.attempt.id] = tenth
            let title = view.title.map { " \($0)" } ?? ""
            let now = time.clock.now.wall
            write(
                LogLine(
                    at: now, level: .info, handler: view.attempt.request.identifier,
                    text:
                        "progress \(Int(fraction * 100))% (\(view.completed)/\(view.total))\(title)"
                ))
        }
    }

    private func put(_ text: String) {
        let bytes = text + "\n"
        Glibc.write(STDERR_FILENO, bytes, bytes.utf8.count)
    }

    private struct JSONLine: Encodable {
        var time: String
        var level: String
        var task: String?
        var text: String
    }

    private func json(_ line: LogLine) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let value = JSONLine(
            time: line.at.utcText, level: "\(line.level)", task: line.handler, text: line.text)
        guard let data = try? encoder.encode(value) else { return "{}" }
        return String(decoding: data, as: UTF8.self)
    }
}
