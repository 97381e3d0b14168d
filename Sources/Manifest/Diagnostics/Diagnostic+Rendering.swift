// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

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

extension Diagnostic {
    /// One JSON object with `severity`, `code`, `file`, `line`, `column`, `end_column`, `message`
    /// and `help`; the numbers are null without a place.
    package var json: String {
        JSONText.object([
            ("severity", JSONText.string(severity.rawValue)),
            ("code", JSONText.string(code.rawValue)),
            ("file", JSONText.string(file)),
            ("line", Self.number(mark?.line)),
            ("column", Self.number(mark?.column)),
            ("end_column", Self.number(endColumn)),
            ("message", JSONText.string(message)),
            ("help", JSONText.string(remedy)),
        ])
    }

    private static func number(_ value: Int?) -> String {
        value.map(String.init) ?? "null"
    }
}

extension Sequence<Diagnostic> {
    /// A JSON array of the problems.
    package var json: String { JSONText.array(map(\.json)) }
}
