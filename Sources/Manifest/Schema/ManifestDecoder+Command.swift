// SPDX-License-Identifier: Apache-2.0

/// The parameters of `exec.run`: the rules of Plugins/exec/command.c.
extension ManifestDecoder {
    static let commandForms = ["command", "argv"]

    /// Reports a command with both forms or neither; `subject` contains them.
    func hasOneForm(
        _ forms: [Field], of subject: String, _ code: DiagnosticCode, at span: SourceSpan
    ) -> Bool {
        guard forms.count != 1 else { return true }
        bag.error(
            code, at: forms.last?.span ?? span,
            forms.isEmpty
                ? "\(subject) must say what to run" : "\(subject) has `command` and `argv`",
            help: "write either `command: a line of the shell` or `argv: [program, ...]`")
        return false
    }

    /// - Parameters:
    ///   - all: The parameters.
    ///   - span: The place to report a missing command at.
    ///   - mayLackCommand: Whether each request of the task can give the command.
    func checkCommand(_ all: [Field], at span: SourceSpan, mayLackCommand: Bool) {
        // Like the handler, treats a null value as missing.
        let fields = Dictionary(
            all.filter { $0.scalar?.value != .null }.map { ($0.name, $0) }
        ) { first, _ in first }
        let known = ShippedHandlers.parameters["exec"]?["run"] ?? []
        let isMisspelt = all.contains { !known.contains($0.name) }
        let forms = Self.commandForms.compactMap { fields[$0] }
        if !forms.isEmpty || !(mayLackCommand || isMisspelt) {
            _ = hasOneForm(forms, of: "`exec.run`", .badParameter, at: span)
        }
        for key in ["command", "directory", "stdin", "input"] {
            fields[key].map { checkText($0) }
        }
        for key in ["directory", "stdin"] {
            fields[key].map(warnOfTilde)
        }
        if let input = fields["input"], fields["stdin"] != nil {
            bag.error(
                .badParameter, at: input.span, "`exec.run` has `stdin` and `input`",
                help: "write either `stdin: a file` or `input: a text`")
        }
        fields["argv"].map { field in
            // Each request may replace the list.
            if mayLackCommand, case .sequence(let items) = field.node.content, items.isEmpty {
                return
            }
            items(of: field, example: "argv: [/usr/bin/logger, failed]").forEach(checkText)
        }
        fields["success_codes"].map { field in
            items(of: field, example: "success_codes: [0, 1]").forEach(checkStatus)
        }
        fields["expire_signal"].map(checkSignal)
        all.first { $0.name == "environment" }.map(checkVariables)
    }

    /// Only a shell expands `~`; a file of that name is rarely meant.
    func warnOfTilde(_ field: Field) {
        guard let text = field.scalar?.text, text.hasPrefix("~") else { return }
        bag.warn(
            .plainTilde, at: field.node.span, "`~` of \(quoted(field.name)) is not expanded",
            help: "write an absolute path, or one relative to the manifest")
    }

    private func checkVariables(_ field: Field) {
        guard case .mapping(let entries) = field.node.content else {
            return mismatch(field, "a mapping", help: "write `environment: {LANG: C}`")
        }
        for variable in entries.map(Field.init) {
            if variable.name.isEmpty || variable.name.contains("=") {
                bag.error(
                    .badParameter, at: variable.span,
                    "\(quoted(variable.name)) cannot name an environment variable",
                    help: "use a name without `=`, for example `LANG`")
            }
            if variable.scalar?.value != .null { checkText(variable) }
        }
    }

    private func items(of field: Field, example: String) -> [Field] {
        guard case .sequence(let nodes) = field.node.content else {
            mismatch(field, "a list", help: "write `\(example)`")
            return []
        }
        if nodes.isEmpty {
            bag.error(
                .badParameter, at: field.node.span, "`\(field.name)` is empty",
                help: "write `\(example)`")
        }
        return bag.items(of: field, example: example)
    }

    private func checkText(_ field: Field) {
        guard let scalar = field.scalar, scalar.value == .text else {
            let remedy = field.scalar.map { "put it in quotes: `\"\($0.text)\"`" } ?? "write text"
            return mismatch(field, "text", help: remedy)
        }
        if scalar.text.unicodeScalars.contains("\0") {
            bag.error(
                .badParameter, at: field.node.span,
                "\(quoted(field.name)) contains a NUL character", help: "drop the `\\0`")
        }
    }

    private func checkStatus(_ field: Field) {
        guard let scalar = field.scalar, scalar.value == .integer else {
            return mismatch(field, "a whole number", help: "write a number from 0 to 255")
        }
        if let status = scalar.integer(Int64.self), (0...255).contains(status) { return }
        bag.error(
            .badParameter, at: field.node.span,
            "\(quoted(field.name)) cannot be \(quoted(scalar.text))",
            help: "write a number from 0 to 255")
    }

    private func checkSignal(_ field: Field) {
        let signals = ["TERM", "INT", "HUP", "QUIT", "USR1", "USR2"]
        guard let text = field.scalar?.text, signals.contains(text) else {
            let choices = listed(signals, joinedBy: "or")
            return mismatch(field, choices, help: "write \(choices)")
        }
    }

    private func mismatch(_ field: Field, _ expected: String, help remedy: String) {
        guard !field.isBroken else { return }
        let found =
            field.scalar.map { quoted($0.text) + " (\(field.node.kindName))" }
            ?? field.node.kindName
        bag.error(
            .badParameter, at: field.node.span,
            "\(quoted(field.name)) must be \(expected), not \(found)", help: remedy)
    }
}
