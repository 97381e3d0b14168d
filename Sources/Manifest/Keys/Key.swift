// SPDX-License-Identifier: Apache-2.0

/// One key of a mapping: the reader takes its name and range from here, and the JSON Schema and the tables of
/// Docs/manifest.md are written from it.
package struct Key: Sendable {
    package let name: String
    package let form: Form
    /// Whether the mapping is incomplete without it.
    package let isRequired: Bool
    /// What holds without the key, in Markdown; nil: nothing, or obvious.
    let standard: String?
    /// What the value means, in Markdown.
    let meaning: String
    /// The form as the tables write it, in Markdown; nil: the form's own words.
    let written: String?

    package init(
        _ name: String, _ form: Form, isRequired: Bool = false, default standard: String? = nil,
        as written: String? = nil, _ meaning: String = ""
    ) {
        self.name = name
        self.form = form
        self.isRequired = isRequired
        self.standard = standard
        self.meaning = meaning
        self.written = written
    }

    /// The cell of a table that describes the value: "duration to 7d (`0s`)".
    var valueText: String {
        let words = written ?? form.words
        if isRequired { return words + " (required)" }
        return standard.map { "\(words) (\($0))" } ?? words
    }

    /// The description in the JSON Schema: one sentence without Markdown's links.
    var description: String {
        let text = Self.withoutLinks(meaning.isEmpty ? valueText : meaning)
        return text.prefix(1).uppercased() + text.dropFirst() + (text.hasSuffix(".") ? "" : ".")
    }

    private static func withoutLinks(_ text: String) -> String {
        var plain = ""
        var rest = text[...]
        while let open = rest.firstIndex(of: "["), let close = rest[open...].firstIndex(of: "]") {
            let after = rest.index(after: close)
            guard rest[after...].hasPrefix("("), let end = rest[after...].firstIndex(of: ")") else {
                plain += rest[...close]
                rest = rest[after...]
                continue
            }
            plain += rest[..<open] + rest[rest.index(after: open)..<close]
            rest = rest[rest.index(after: end)...]
        }
        return plain + rest
    }
}

/// A key of which only the name is known.
extension Key: ExpressibleByStringLiteral {
    package init(stringLiteral name: String) {
        self.init(name, .any)
    }
}
