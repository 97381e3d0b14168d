// SPDX-License-Identifier: Apache-2.0

/// The displayed line of a problem, and the caret below it.
package struct Snippet: Hashable, Sendable {
    /// The line, or the part of it around the problem: tabs expanded, control characters replaced.
    package var line: String
    /// Spaces, then `^` and `~` under the affected characters.
    package var caret: String

    private static let tabWidth = 4
    /// The number of characters shown before and after the beginning of the problem on a long line.
    private static let charactersBefore = 60
    private static let charactersAfter = 60

    init(_ source: SourceText, at mark: SourceMark, endColumn: Int?) {
        let window = Window(
            source.line(mark.line), around: mark.column, before: Self.charactersBefore,
            after: Self.charactersAfter)
        var line = window.isCutBefore ? "…" : ""
        var indent = line.count
        var underline = 0
        var width = indent
        var column = window.firstColumn
        for character in String(window.text) {
            let (shown, shownWidth) = Self.shown(character)
            line += shown
            width += shownWidth
            if column < mark.column {
                indent += shownWidth
            } else if column < endColumn ?? .max {
                underline += shownWidth
            }
            column += character.unicodeScalars.count
        }
        while line.last == " " {
            line.removeLast()
            width -= 1
        }
        if window.isCutAfter { line += "…" }
        let length = max(1, min(underline, width - indent))
        self.line = line
        caret =
            String(repeating: " ", count: indent) + "^"
            // fits: at least 1
            + String(repeating: "~", count: length - 1)
    }

    /// The displayed form of a character, and its columns.
    private static func shown(_ character: Character) -> (String, width: Int) {
        if character == "\t" { return (String(repeating: " ", count: tabWidth), tabWidth) }
        guard character.unicodeScalars.allSatisfy({ $0.isSafeToShow || $0 == "\u{200D}" }) else {
            let count = character.unicodeScalars.count
            return (String(repeating: "\u{FFFD}", count: count), count)
        }
        return (String(character), character.displayWidth)
    }
}

/// The part of a line around a column: a line may be a megabyte long.
private struct Window {
    var text = String.UnicodeScalarView()
    var firstColumn: Int
    var isCutBefore: Bool
    var isCutAfter = false

    init(_ line: ArraySlice<UInt8>, around column: Int, before: Int, after: Int) {
        // fits: both are columns of a line
        firstColumn = max(1, column - before)
        isCutBefore = firstColumn > 1
        var rest = Self.drop(firstColumn - 1, from: line).makeIterator()
        var decoder = UTF8()
        for current in firstColumn... {
            let scalar: Unicode.Scalar
            switch decoder.decode(&rest) {
            case .scalarValue(let value): scalar = value
            case .emptyInput: return
            case .error: scalar = "\u{FFFD}"
            }
            if Self.lineBreaks.contains(scalar) { return }
            guard current <= column + after else {
                isCutAfter = true
                return
            }
            text.append(scalar)
        }
    }

    /// Skips characters without decoding them.
    private static func drop(_ count: Int, from line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard count > 0 else { return line }
        let offset = line.withUnsafeBufferPointer { bytes in
            var left = count
            for offset in bytes.indices where bytes[offset] & 0xC0 != 0x80 {
                if left == 0 { return offset }
                left -= 1
            }
            return bytes.count
        }
        return line.dropFirst(offset)
    }

    private static let lineBreaks: Set<Unicode.Scalar> = [
        "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}",
    ]
}
