// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

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
