// SPDX-License-Identifier: Apache-2.0

/// A piece of a page. Literals are markup; an interpolated string is always text, regardless of its content, since
/// strangers write identifiers and output.
package struct HTML: ExpressibleByStringInterpolation, Equatable, Sendable {
    package private(set) var text: String

    package init(stringLiteral text: String) { self.text = text }

    package init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        package init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity * 2)
        }

        package mutating func appendLiteral(_ literal: String) { text += literal }

        package mutating func appendInterpolation(_ value: some StringProtocol) {
            text += HTML.escaped(value)
        }

        package mutating func appendInterpolation(_ value: some BinaryInteger) {
            text += String(value)
        }

        package mutating func appendInterpolation(_ piece: HTML) { text += piece.text }

        package mutating func appendInterpolation(_ pieces: [HTML]) {
            for piece in pieces { text += piece.text }
        }

        /// Appends nothing for nil.
        package mutating func appendInterpolation(_ piece: HTML?) {
            if let piece { text += piece.text }
        }
    }

    /// Text for HTML and for attributes in double quotes. Characters that move the cursor or change the text direction
    /// are replaced.
    static func escaped(_ text: some StringProtocol) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            case "\n", "\t": result.unicodeScalars.append(scalar)
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{200E}", "\u{200F}",
                "\u{2028}"..."\u{202E}", "\u{2066}"..."\u{2069}":
                result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
