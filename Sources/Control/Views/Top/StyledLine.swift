// SPDX-License-Identifier: Apache-2.0

/// A line of text in several styles.
package struct StyledLine: Equatable, Sendable {
    /// The raw value is the parameter of the escape sequence "select graphic rendition".
    enum Style: String, Sendable {
        case plain = ""
        case bold = "1"
        case dim = "2"
        case good = "32"
        case warning = "33"
        case bad = "31"
    }

    struct Part: Equatable, Sendable {
        var text: String
        var style: Style
    }

    private(set) var parts: [Part] = []
    /// The number of all characters.
    private(set) var count = 0
    var isSelected = false

    init(_ text: String = "", _ style: Style = .plain) { add(text, style) }

    /// Appends `text` with its control characters escaped.
    mutating func add(_ text: String, _ style: Style = .plain) {
        let text = Self.visible(text)
        guard !text.isEmpty else { return }
        parts.append(Part(text: text, style: style))
        count += text.count
    }

    /// Appends blanks up to a column.
    mutating func pad(to column: Int) { add("".padded(to: column - count)) }

    /// At most `width` characters, the last one `…` if truncated, with the escape sequences of ANSI
    /// if `hasColor`.
    package func text(width: Int, hasColor: Bool) -> String {
        var left = count > width ? max(0, width - 1) : width
        var result = isSelected && hasColor ? "\u{1B}[7m" : ""
        for part in parts where left > 0 {
            let shown = part.text.prefix(left)
            left -= shown.count
            let code = hasColor && !isSelected ? part.style.rawValue : ""
            result += code.isEmpty ? String(shown) : "\u{1B}[\(code)m\(shown)\u{1B}[0m"
        }
        if count > width, width > 0 { result += "…" }
        return isSelected && hasColor ? result + "\u{1B}[0m" : result
    }

    private static func visible(_ text: String) -> String {
        func isControl(_ scalar: Unicode.Scalar) -> Bool {
            scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value)
        }
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        return String(
            String.UnicodeScalarView(text.unicodeScalars.map { isControl($0) ? "\u{FFFD}" : $0 }))
    }
}
