// SPDX-License-Identifier: Apache-2.0

/// One key of a mapping: the source of its name and range in the reader, in the JSON Schema and in the tables
/// of Docs/manifest.md.
package struct Key: Sendable {
    package let name: String
    let form: Form
    /// Whether the mapping requires it.
    let isRequired: Bool
    /// The default, in Markdown; nil: none, or obvious.
    let standard: String?
    /// The meaning of the value, in Markdown.
    let meaning: String
    /// The form in the tables, in Markdown; nil: the words of `form`.
    let written: String?
    /// The description in the schema, if `meaning` needs the rows around it in a table.
    let hint: String?

    package init(
        _ name: String, _ form: Form, isRequired: Bool = false, default standard: String? = nil,
        as written: String? = nil, _ meaning: String = "", hint: String? = nil
    ) {
        self.name = name
        self.form = form
        self.isRequired = isRequired
        self.standard = standard
        self.meaning = meaning
        self.written = written
        self.hint = hint
    }
}
