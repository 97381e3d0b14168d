// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy

/// Scalars and comments of YAML.
enum YAMLText {
    /// `text` as a scalar that is read back as the same text, plain if that is unambiguous.
    static func scalar(_ text: String) -> String {
        if isPlain(text) { return text }
        let needsEscapes = text.unicodeScalars.contains(where: isEscaped)
        if !needsEscapes, text.contains("\"") || text.contains("\\") {
            return "'" + text.replacing("'", with: "''") + "'"
        }
        return doubleQuoted(text)
    }

    /// `text` with the escapes common to JSON and YAML.
    static func doubleQuoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case _ where isEscaped(scalar):
                result += "\\u" + scalar.value.digits(4, radix: 16)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    /// An entry of a mapping: YAML limits a key before a colon to 1,024 characters.
    static func entry(_ key: String, _ value: String) -> [String] {
        let key = scalar(key)
        return key.unicodeScalars.count < 1_000 ? ["\(key): \(value)"] : ["? \(key)", ": \(value)"]
    }

    static func list(_ items: [String]) -> String {
        "[" + items.map(scalar).joined(separator: ", ") + "]"
    }

    /// A comment without characters that would end it.
    static func comment(_ text: String) -> String {
        var shown = ""
        for scalar in text.unicodeScalars {
            if scalar == "\t" || !isEscaped(scalar) { shown.unicodeScalars.append(scalar) }
        }
        return shown.isEmpty ? "#" : "# \(shown)"
    }

    /// Characters that end a line or that YAML does not allow: controls, the byte order mark, and the
    /// last two of the basic plane.
    private static func isEscaped(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF: true
        default: false
        }
    }

    /// Whether it begins with a letter or a path, contains nothing that YAML interprets, and is not a keyword or
    /// number.
    private static func isPlain(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first else { return false }
        let words: Set<String> = [
            "true", "false", "null", "yes", "no", "on", "off", "y", "n", "nan",
        ]
        guard first.properties.isAlphabetic && first.isASCII || first == "/" || first == ".",
            text.contains(where: { $0.isLetter }), !words.contains(text.lowercased()),
            !text.hasPrefix(".inf"), !text.lowercased().hasPrefix(".nan")
        else { return false }
        return text.unicodeScalars.allSatisfy { scalar in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "_", "-", ".", "/", "+", "=", "@": true
            default: false
            }
        }
    }
}
