// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The abilities of the terminal of a descriptor.
enum Terminal {
    static func isTerminal(_ descriptor: Int32) -> Bool {
        guard isatty(descriptor) == 1 else { return false }
        let name = getenv("TERM").map { String(cString: $0) }
        return name != nil && name != "dumb"
    }

    /// Whether it is a terminal, and NO_COLOR is not set (no-color.org).
    static func hasColor(_ descriptor: Int32) -> Bool {
        isTerminal(descriptor) && getenv("NO_COLOR") == nil
    }

    /// Columns, at least 40.
    static func width(_ descriptor: Int32) -> Int { max(40, size(descriptor).columns) }

    /// Rows and columns; 24 and 80 where the terminal does not report them.
    static func size(_ descriptor: Int32) -> (rows: Int, columns: Int) {
        var size = winsize()
        _ = ioctl(descriptor, UInt(TIOCGWINSZ), &size)
        return (size.ws_row > 0 ? Int(size.ws_row) : 24, size.ws_col > 0 ? Int(size.ws_col) : 80)
    }
}
