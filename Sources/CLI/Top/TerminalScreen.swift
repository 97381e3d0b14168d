// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A terminal that is drawn on as a whole. What it looked like before comes back with `leave`.
///
/// Belongs to one thread.
final class TerminalScreen {
    private var before = termios()
    private var isEntered = false
    /// What the terminal shows, line by line.
    private var shown: [String] = []

    deinit { leave() }

    /// Rows and columns; 24 and 80 where the terminal does not say.
    var size: (rows: Int, columns: Int) {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0
        else { return (24, 80) }
        return (Int(size.ws_row), Int(size.ws_col))
    }

    /// Takes the terminal over: keys come one by one and are not shown, and what stood there is kept.
    func enter() {
        guard !isEntered, tcgetattr(STDIN_FILENO, &before) == 0 else { return }
        isEntered = true
        var raw = before
        raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
        tcsetattr(STDIN_FILENO, TCSANOW, &raw)
        shown = []
        // The other screen, no cursor, no line that continues in the next one.
        Self.write("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[2J")
    }

    /// Gives the terminal back as it was.
    func leave() {
        guard isEntered else { return }
        isEntered = false
        Self.write("\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l")
        tcsetattr(STDIN_FILENO, TCSANOW, &before)
    }

    /// Has the next `draw` draw everything: the terminal has another size.
    func forget() { shown = [] }

    /// Draws the lines that are not what is shown already.
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
