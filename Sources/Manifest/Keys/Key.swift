// SPDX-License-Identifier: Apache-2.0

/// One key of a mapping: the reader takes its name and range from here, and the JSON Schema and the tables of
/// Docs/manifest.md are written from it.
package struct Key: Sendable {
    package let name: String
    let form: Form
    /// Whether the mapping is incomplete without it.
    let isRequired: Bool
    /// What holds without the key, in Markdown; nil: nothing, or obvious.
    let standard: String?
    /// What the value means, in Markdown.
    let meaning: String
    /// The form as the tables write it, in Markdown; nil: the form's own words.
    let written: String?
    /// The description in the schema, where the meaning needs the rows around it in a table.
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
