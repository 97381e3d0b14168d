// SPDX-License-Identifier: Apache-2.0

@testable import BGRunManifest

extension Key {
    /// The cell of a table that describes the value: "duration to 7d (`0s`)".
    var valueText: String {
        let words = written ?? form.words
        if isRequired { return words + " (required)" }
        return standard.map { "\(words) (\($0))" } ?? words
    }

    /// The description in the JSON Schema: one sentence without Markdown's links.
    var description: String {
        let text = Self.withoutLinks(hint ?? (meaning.isEmpty ? valueText : meaning))
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
