// SPDX-License-Identifier: Apache-2.0

extension Diagnostic {
    /// The problem in one line: the place and the message.
    package var line: String { "\(place): \(message)" }

    private var place: String {
        file + (mark.map { ":\($0.line):\($0.column)" } ?? "")
    }

    /// The problem for people: the place, the line, a caret and what to do. Ends with a line break.
    ///
    /// ```
    /// app.yaml:12:5: error: unknown key `requries` in task `com.app.clean` [unknown-key]
    ///    12 |     requries: {power: external}
    ///       |     ^~~~~~~~
    ///       help: write `requires`
    /// ```
    /// With `color`, the escape sequences of ANSI terminals are in it.
    package func rendered(color: Bool) -> String {
        let pen = Pen(isColored: color)
        let accent = severity == .error ? Pen.Style.red : .magenta
        var text = pen.paint("\(place):", .bold)
        text += " " + pen.paint("\(severity.rawValue):", accent)
        text += " " + pen.paint(message, .bold) + " [\(code.rawValue)]\n"
        if let mark, let snippet {
            let number = String(mark.line)
            let padding = String(repeating: " ", count: max(0, 5 - number.count))
            let blank = String(repeating: " ", count: padding.count + number.count)
            text += "\(padding)\(number) | \(snippet.line)\n"
            text += "\(blank) | \(pen.paint(snippet.caret, accent))\n"
        }
        return text + "      \(pen.paint("help:", .cyan)) \(remedy)\n"
    }
}

extension Sequence<Diagnostic> {
    /// The problems for people, separated by empty lines.
    package func rendered(color: Bool) -> String {
        map { $0.rendered(color: color) }.joined(separator: "\n")
    }
}

private struct Pen {
    let isColored: Bool

    enum Style: String {
        case bold = "1"
        case red = "1;31"
        case magenta = "1;35"
        case cyan = "1;36"
    }

    func paint(_ text: String, _ style: Style) -> String {
        isColored ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }
}
