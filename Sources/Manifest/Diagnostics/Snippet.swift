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

extension Character {
    /// The columns it takes on a terminal: 0, 1, or 2 for East Asian wide characters and emoji.
    var displayWidth: Int {
        unicodeScalars.map(\.displayWidth).max() ?? 0
    }
}

extension Unicode.Scalar {
    fileprivate var displayWidth: Int {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: 0
        default: properties.isEmojiPresentation || isEastAsianWide ? 2 : 1
        }
    }

    /// East_Asian_Width W or F (UAX #11), by block.
    private var isEastAsianWide: Bool {
        switch value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
            0xA000...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1B000...0x1B2FF,
            0x20000...0x3FFFD:
            true
        default: false
        }
    }
}
