// SPDX-License-Identifier: Apache-2.0

/// Parses and writes words in the quoting of unit files (systemd.syntax(7)).
enum UnitWords {
    struct Word: Equatable {
        var text: String
        /// Whether no part of it was quoted or escaped.
        var isBare: Bool
    }

    /// The words of `value`, without quotes and C escapes.
    static func split(_ value: String) -> [Word] {
        var words: [Word] = []
        var word = Word(text: "", isBare: true)
        var hasWord = false
        var quote: Character?
        var rest = Substring(value)
        func end() {
            if hasWord { words.append(word) }
            word = Word(text: "", isBare: true)
            hasWord = false
        }
        while let character = rest.popFirst() {
            if character == "\\" {
                word.text += escape(&rest)
                word.isBare = false
                hasWord = true
            } else if let open = quote {
                if character == open { quote = nil } else { word.text.append(character) }
            } else if character == "\"" || character == "'" {
                quote = character
                word.isBare = false
                hasWord = true
            } else if character == " " || character == "\t" {
                end()
            } else {
                word.text.append(character)
                hasWord = true
            }
        }
        end()
        return words
    }

    /// `word` for a command line: quoted where needed, with `%` and `$` escaped.
    static func quoted(_ word: String, escapesDollar: Bool = true) -> String {
        var text = ""
        for scalar in word.unicodeScalars {
            switch scalar {
            case "\\", "\"": text += "\\\(scalar)"
            case "\n": text += "\\n"
            case "\t": text += "\\t"
            case "%": text += "%%"
            case "$" where escapesDollar: text += "$$"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                let digits = String(scalar.value, radix: 16)
                text += "\\x" + (digits.count < 2 ? "0" : "") + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        let needsQuotes = word.unicodeScalars.contains {
            $0.value < 0x20 || $0.value == 0x7F || "\\\" ';#".unicodeScalars.contains($0)
        }
        return needsQuotes || word.isEmpty ? "\"\(text)\"" : text
    }

    private static func escape(_ rest: inout Substring) -> String {
        guard let sign = rest.popFirst() else { return "\\" }
        if let plain = escapes[sign] { return plain }
        switch sign {
        case "\\", "\"", "'", ";", "%": return String(sign)
        case "x": return scalar(&rest, digits: 2, radix: 16) ?? "\\x"
        case "u": return scalar(&rest, digits: 4, radix: 16) ?? "\\u"
        case "U": return scalar(&rest, digits: 8, radix: 16) ?? "\\U"
        case "0"..."7":
            // The character is the first of three digits.
            let text = "\(sign)\(rest.prefix(2))"
            guard text.count == 3, let value = UInt32(text, radix: 8),
                let scalar = Unicode.Scalar(value)
            else { return "\\\(sign)" }
            rest = rest.dropFirst(2)
            return String(Character(scalar))
        default: return "\\\(sign)"
        }
    }

    private static let escapes: [Character: String] = [
        "n": "\n", "t": "\t", "r": "\r", "a": "\u{07}", "b": "\u{08}", "f": "\u{0C}", "v": "\u{0B}",
        "s": " ",
    ]

    private static func scalar(_ rest: inout Substring, digits: Int, radix: Int) -> String? {
        let text = rest.prefix(digits)
        guard text.count == digits, let value = UInt32(text, radix: radix),
            let scalar = Unicode.Scalar(value)
        else { return nil }
        rest = rest.dropFirst(digits)
        return String(Character(scalar))
    }
}
