// SPDX-License-Identifier: Apache-2.0

import BGRunSystem
import Glibc

/// A terminal in full-screen mode. `leave` restores the previous contents.
///
/// Belongs to one thread.
final class TerminalScreen {
    private var before = termios()
    private var isEntered = false
    /// The lines that the terminal shows.
    private var shown: [String] = []

    deinit { leave() }

    /// Enters full-screen mode: reads keys one by one without echo, and saves the contents.
    func enter() {
        guard !isEntered, tcgetattr(STDIN_FILENO, &before) == 0 else { return }
        isEntered = true
        var raw = before
        raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
        tcsetattr(STDIN_FILENO, TCSANOW, &raw)
        shown = []
        // Alternate screen, no cursor, no line wrap.
        Self.write("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[2J")
    }

    /// Restores the terminal.
    func leave() {
        guard isEntered else { return }
        isEntered = false
        Self.write("\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l")
        tcsetattr(STDIN_FILENO, TCSANOW, &before)
    }

    /// Makes the next `draw` draw everything, after a change of the size.
    func forget() { shown = [] }

    /// Draws the lines that differ from the shown ones.
    func draw(_ lines: [String]) {
        guard isEntered else { return }
        var output = shown.isEmpty ? "\u{1B}[2J" : ""
        for (row, line) in lines.enumerated() where row >= shown.count || shown[row] != line {
            output += "\u{1B}[\(row + 1);1H\(line)\u{1B}[K"
        }
        shown = lines
        if !output.isEmpty { Self.write(output) }
    }

    private static func write(_ text: String) { _ = writeAll(text.utf8, to: STDOUT_FILENO) }
}
