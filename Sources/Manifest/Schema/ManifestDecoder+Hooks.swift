// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// The hooks that report the ends of tasks.
extension ManifestDecoder {
    func decodeHooks(_ field: Field, _ tasks: [TaskDefinition]) -> [HookDefinition] {
        let example = "hooks: [{on: [failed], run: {command: ...}}]"
        return bag.items(of: field, example: example).compactMap { decodeHook($0, tasks) }
    }

    private func decodeHook(_ field: Field, _ tasks: [TaskDefinition]) -> HookDefinition? {
        let example = "{on: [failed], run: {command: ...}}"
        guard let fields = Fields(field, .hook, bag, example) else { return nil }
        let triggers = fields["on"].map(decodeTriggers) ?? []
        let hook = HookDefinition(
            triggers: triggers,
            tasks: fields["tasks"].map { decodeHookTasks($0, tasks) } ?? [],
            action: decodeHookAction(fields) ?? .run(parameters: "{}"),
            after: fields.count("after") ?? 1, every: fields.duration("every"),
            waiting: fields.duration("waiting"),
            timeout: fields.duration("timeout") ?? HookDefinition.defaultTimeout)
        guard !triggers.isEmpty else { return nil }
        let onRemedy = "add one to `on`, or drop it"
        if let after = fields["after"], !triggers.contains(where: \.followsFailures) {
            reportUseless(
                after, "for a hook on failed, expired, gave-up or recovered", help: onRemedy)
        }
        if let waiting = fields["waiting"], !triggers.contains(.starved) {
            reportUseless(waiting, "for a hook on starved", help: onRemedy)
        }
        return hook
    }

    private func decodeTriggers(_ field: Field) -> Set<HookTrigger> {
        if field.scalar != nil { return Set([bag.word(field)].compactMap(\.self)) }
        let example = "on: [failed, expired]"
        return words(bag.someItems(of: field, example: example, short: "on: [failed]"), in: field)
    }

    private func decodeHookTasks(_ field: Field, _ tasks: [TaskDefinition]) -> [String] {
        let declared = tasks.map(\.declaration.identifier)
        let items = bag.items(of: field, example: "tasks: [com.example.refresh]")
        return items.compactMap { item in
            guard let text = bag.text(item, example: "com.example.refresh") else { return nil }
            guard IdentifierRule.isWellFormed(text, wildcard: true) else {
                reportBadIdentifier(text, at: item.node.span)
                return nil
            }
            let here = IdentifierRule(permitting: [text])
            let there = IdentifierRule(permitting: declared)
            // An unreadable task might be the intended one.
            if !bag.hasErrors, !there.permits(text), !declared.contains(where: here.permits) {
                reportUnknownTask(text, at: item, among: declared)
            }
            return text
        }
    }

    private func decodeHookAction(_ fields: Fields) -> HookDefinition.Action? {
        let action = fields.one(
            of: ["run", "post"], "a hook", lack: "must say what to do", .notOneHookAction,
            help: "write either `run: {command: ...}` or `post: https://...`")
        guard let field = action else { return nil }
        guard field.name == "run" else { return decodePost(field, fields) }
        for key in fields.present(["headers_file", "ca_file"]) { reportUseless(key, "with `post`") }
        return decodeCommand(field)
    }

    /// The parameters of `exec.run` that apply to a hook.
    private func decodeCommand(_ field: Field) -> HookDefinition.Action? {
        if let scalar = field.scalar, scalar.value == .text {
            return bag.text(field, example: "run: logger failed").map {
                .run(parameters: JSONText.object([("command", JSONText.string($0))]))
            }
        }
        guard let fields = Fields(field, .hookCommand, bag, "run: {command: logger failed}")
        else { return nil }
        let forms = fields.present(Self.commandForms)
        let isMisspelt = forms.isEmpty && fields.misspells(Self.commandForms)
        guard isMisspelt || hasOneForm(forms, of: "`run`", .notOneHookAction, at: field.span)
        else { return nil }
        // Invalid members are omitted; the manifest is refused anyway.
        var members: [(key: String, value: String)] = []
        func add(_ key: String, _ json: String?) {
            if let json { members.append((key, json)) }
        }
        for (key, example) in [
            ("command", "command: logger failed"), ("directory", "directory: ."),
        ] {
            let text = fields[key].flatMap { bag.text($0, example: example) }
            add(key, text.map(JSONText.string))
        }
        if let words = fields["argv"] {
            let items = bag.someItems(of: words, example: "argv: [/usr/bin/logger, failed]")
            let texts = items.compactMap { bag.verbatim($0, example: "/usr/bin/logger") }
            add("argv", JSONText.array(texts.map(JSONText.string)))
        }
        if let environment = fields["environment"].map(decodeEnvironment) {
            let variables = environment.sorted { $0.key < $1.key }
            add("environment", JSONText.object(variables.map { ($0, JSONText.string($1)) }))
        }
        return .run(parameters: JSONText.object(members))
    }

    private func decodePost(_ field: Field, _ fields: Fields) -> HookDefinition.Action? {
        let headers = existingFile(
            fields["headers_file"], "headers_file: ./headers", what: "file of headers")
        let authorities = existingFile(
            fields["ca_file"], "ca_file: ./authority.pem", what: "file of certificates")
        let address = decodeAddress(
            field, "to post to", example: "https://hooks.example.com/x",
            help: "write `https://`, a host and a path, in ASCII",
            userRemedy: "put what is secret into `headers_file`")
        guard let address else { return nil }
        if let headers = fields["headers_file"], !address.isEncrypted, !address.isLoopback {
            warnOfPlain(headers, "the headers are", to: String(address.authority))
        }
        return .post(address: address.text, headersFile: headers, authoritiesFile: authorities)
    }

    /// Reports a key that has no effect without a `condition`.
    func reportUseless(_ field: Field, _ condition: String, help remedy: String = "drop it") {
        bag.error(
            .uselessKey, at: field.span, "`\(field.name)` counts only \(condition)", help: remedy)
    }
}
