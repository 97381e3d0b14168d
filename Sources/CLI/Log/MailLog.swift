// SPDX-License-Identifier: Apache-2.0

import BGRunHooks
import BGRunHost

/// For cron, which mails all output: nothing about successful attempts; for others the identifier,
/// the outcome and the last lines of output. The same for hooks.
final class MailLog: HostLog {
    private let manifest: String
    private let state: String?
    /// The last lines of each running attempt; those of the running hook under `hook`.
    private var output: [Int64: [String]] = [:]
    private static let hook: Int64 = 0

    static let lines = 20

    /// - Parameter manifest: The file, for the command that shows more; `state` as it was given.
    init(manifest: String, state: String?) {
        self.manifest = manifest
        self.state = state
    }

    func write(_ line: LogLine) {
        let isOfHook = line.handler == LogLine.hook || line.subject?.kind == LogLine.hook
        let attempt = line.attempt ?? (isOfHook ? Self.hook : nil)
        if line.handler != nil, let attempt {
            output[attempt, default: []].append(LogText.visible(line.text))
            if output[attempt, default: []].count > Self.lines { output[attempt]?.removeFirst() }
        } else if line.subject?.kind == "ended" || isOfHook, let attempt {
            let last = output.removeValue(forKey: attempt) ?? []
            if line.level >= .error { report(line, attempt, last) }
        } else if line.level >= .error {
            complain(LogText.visible(line.text))
        }
    }

    func show(_ running: [RunningView]) {}

    private func report(_ line: LogLine, _ attempt: Int64, _ last: [String]) {
        var text = "bgrun: \(LogText.visible(line.text))\n"
        if !last.isEmpty {
            text += "The last lines of its output:\n"
            text += last.map { "  \($0)\n" }.joined()
        }
        if attempt != Self.hook, !last.isEmpty {
            let state = state.map { " --state \(quoted($0))" } ?? ""
            let options = "-m \(quoted(manifest))\(state)"
            text += "More of its output: bgrun history \(options) --output \(attempt)\n"
        }
        writeError(text)
    }

    /// The word quoted for the shell.
    private func quoted(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy {
            $0 >= 0x80 || UnicodeScalar($0).properties.isAlphabetic || (0x2B...0x3A).contains($0)
                || $0 == UInt8(ascii: "_")
        }
        return isPlain ? word : "'" + word.replacing("'", with: "'\\''") + "'"
    }
}
