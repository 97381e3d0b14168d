// SPDX-License-Identifier: Apache-2.0

/// Writes diagnostics for people: the place, the line, a caret, and what to do.
///
/// ```
/// app.yaml:12:5: error: unknown key `requries` in task `com.app.clean` [unknown-key]
///    12 |     requries: {power: external}
///       |     ^~~~~~~~
///       help: write `requires`
/// ```
struct DiagnosticRenderer {
    let source: SourceText
    /// Whether to use the colours of a terminal.
    let color: Bool

    private static let tabWidth = 4
    /// Characters shown before and after the beginning of the problem on a long line.
    private static let charactersBefore = 60
    private static let charactersAfter = 60

    func render(_ diagnostics: [Diagnostic]) -> String {
        diagnostics.map(render).joined(separator: "\n")
    }

    func render(_ diagnostic: Diagnostic) -> String {
        let place = diagnostic.mark.map { ":\($0.line):\($0.column)" } ?? ""
        let severity = painted("\(diagnostic.severity.rawValue):", severityPaint(diagnostic))
        var text = painted("\(diagnostic.file)\(place):", .bold)
        text += " \(severity) \(painted(diagnostic.message, .bold)) [\(diagnostic.code.rawValue)]\n"
        if let mark = diagnostic.mark {
            let snippet = snippet(at: mark, endColumn: diagnostic.endColumn)
            let number = String(mark.line)
            let padding = String(repeating: " ", count: max(0, 5 - number.count))
            text += "\(padding)\(number) | \(snippet.line)\n"
            text += "\(String(repeating: " ", count: padding.count + number.count)) | "
            text += painted(snippet.caret, severityPaint(diagnostic)) + "\n"
        }
        return text + "      \(painted("help:", .cyan)) \(diagnostic.remedy)\n"
    }

    /// The line as it is shown, and the caret below it.
    private func snippet(at mark: SourceMark, endColumn: Int?) -> (line: String, caret: String) {
        let scalars = Window(
            source.line(mark.line), around: mark.column, before: Self.charactersBefore,
            after: Self.charactersAfter)
        var line = scalars.isCutBefore ? "…" : ""
        var indent = line.count
        var underline = 0
        var column = scalars.firstColumn
        for character in String(scalars.text) {
            let (shown, width) = Self.shown(character)
            line += shown
            if column < mark.column {
                indent += width
            } else if column < endColumn ?? .max {
                underline += width
            }
            column += character.unicodeScalars.count
        }
        while line.last == " " { line.removeLast() }
        let lineWidth = line.reduce(0) { $0 + $1.displayWidth }
        if scalars.isCutAfter { line += "…" }
        let length = max(1, min(underline, lineWidth - indent))
        let caret =
            String(repeating: " ", count: indent) + "^"
            + String(repeating: "~", count: length - 1)
        return (line, caret)
    }

    /// A character as the terminal gets it, and the columns it takes there.
    private static func shown(_ character: Character) -> (String, width: Int) {
        if character == "\t" { return (String(repeating: " ", count: tabWidth), tabWidth) }
        guard character.unicodeScalars.allSatisfy({ $0.isSafeToShow || $0 == "\u{200D}" }) else {
            let count = character.unicodeScalars.count
            return (String(repeating: "\u{FFFD}", count: count), count)
        }
        return (String(character), character.displayWidth)
    }

    private enum Paint: String {
        case bold = "1"
        case red = "1;31"
        case magenta = "1;35"
        case cyan = "1;36"
    }

    private func severityPaint(_ diagnostic: Diagnostic) -> Paint {
        diagnostic.severity == .error ? .red : .magenta
    }

    private func painted(_ text: String, _ paint: Paint) -> String {
        color ? "\u{1B}[\(paint.rawValue)m\(text)\u{1B}[0m" : text
    }
}

/// The part of a line around a column: a line may be a megabyte long.
private struct Window {
    var text = String.UnicodeScalarView()
    var firstColumn: Int
    var isCutBefore: Bool
    var isCutAfter = false

    init(_ line: ArraySlice<UInt8>, around column: Int, before: Int, after: Int) {
        firstColumn = max(1, column - before)
        isCutBefore = firstColumn > 1
        var decoder = UTF8()
        var bytes = line.makeIterator()
        var current = 1
        decoding: while true {
            let scalar: Unicode.Scalar
            switch decoder.decode(&bytes) {
            case .scalarValue(let value): scalar = value
            case .emptyInput: break decoding
            case .error: scalar = "\u{FFFD}"
            }
            if Self.lineBreaks.contains(scalar) { break }
            if current > column + after {
                isCutAfter = true
                break
            }
            if current >= firstColumn { text.append(scalar) }
            current += 1
        }
    }

    private static let lineBreaks: Set<Unicode.Scalar> = [
        "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}",
    ]
}
