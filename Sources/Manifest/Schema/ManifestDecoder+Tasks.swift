// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

extension ManifestDecoder {
    /// - Parameter isAll: Whether the manifest has no other work.
    func decodeTasks(
        _ field: Field, _ context: TaskContext, isAll: Bool
    ) -> [TaskDefinition] {
        let example = "tasks: {com.example.refresh: {kind: ..., handler: ...}}"
        guard let members = bag.members(of: field, example: example) else { return [] }
        if members.isEmpty, isAll {
            bag.warn(
                .noTasks, at: field.span, "the manifest has no tasks",
                help: "add one, or there is nothing to run")
        }
        var listeners: [String: String] = [:]
        return members.compactMap { field in
            let task = decodeTask(field, context)
            if let address = task?.listens { claim(address, for: field, among: &listeners) }
            return task
        }
    }

    private func decodeTask(_ field: Field, _ context: TaskContext) -> TaskDefinition? {
        checkIdentifier(field, context)
        let example = "\(field.name): {kind: processing, handler: plugin.name}"
        guard let fields = Fields(field, .task, bag, example) else { return nil }
        let kind = fields["kind"].flatMap { decodeKind($0, context) }
        let files = readEnvironmentFiles(fields["env_file"].map(decodeEnvironmentFiles) ?? [])
        let own = fields["environment"].map(decodeEnvironment) ?? [:]
        let environment = files.variables.merging(own) { $1 }
        let action = decodeAction(fields, field.name, context, environment)
        let expiration = fields["expiration"].map { decodeExpiration($0, context.policy) }
        let on = decodeTriggers(fields["on"], of: field.name)
        let declaration = TaskDeclaration(
            identifier: field.name, kind: kind ?? .processing,
            requires: fields["requires"].map { decodeRequires($0, kind) } ?? [],
            earliest: decodeEarliest(fields), schedule: decodeRecurrence(fields, of: field.name),
            submission: decodeSubmission(fields, of: field.name, kind, context),
            timeLimit: expiration?.after, grace: expiration?.grace,
            retry: fields["retry"].flatMap(decodeRetry), overlap: fields.word("overlap") ?? .queue,
            catchUp: fields.word("catch_up") ?? .one, jitter: fields.duration("jitter") ?? .zero,
            group: action.flatMap { group(of: $0, context) },
            strategy: fields.word("strategy") ?? .queue,
            startDeadline: fields.duration("start_deadline"), triggers: on.triggers,
            annotations: Annotations(tags: fields["tags"].map(decodeTags) ?? []))
        checkContinued(fields, kind)
        warnOfRefresh(fields, declaration, context.policy)
        if on.socket != nil, let call = fields.present(["call", "calls"]).first {
            bag.error(
                .badSocket, at: call.span, "a foreign call is not given the socket of `on`",
                help: "use a handler that accepts connections, or drop `socket`")
        }
        let parameters = fields["parameters"].flatMap(decodeParameters) ?? "{}"
        let startsByItself =
            declaration.submission == .launch || fields["on"] != nil
            || context.followers.contains(field.name)
        checkParameters(
            fields["parameters"], of: field, action, context, mayLackRequired: !startsByItself)
        let confinement = fields["confine"].map(decodeConfinement)
        guard let action, kind != nil else { return nil }
        return TaskDefinition(
            declaration: declaration, description: fields["description"].flatMap(decodeDescription),
            action: action, parameters: parameters,
            environment: environment, environmentFiles: files.paths,
            secrets: fields["secrets"].map { decodeSecrets($0, action) } ?? [],
            confinement: confinement ?? ConfinementKeys(), watches: on.path, listens: on.socket,
            mark: field.span.start)
    }

    private func decodeDescription(_ field: Field) -> String? {
        guard let text = bag.text(field, example: "description: Fetches new photos") else {
            return nil
        }
        if let description = TaskDefinition.description(text) { return description }
        let longest = TaskDefinition.longestDescription
        return bag.refuse(
            .outOfRange, at: field.node.span,
            text.unicodeScalars.count > longest
                ? "the description has \(text.unicodeScalars.count) characters"
                : "the description is blank, has several lines, or contains control characters",
            help: "write one line of at most \(longest) characters")
    }

    private func decodeTags(_ field: Field) -> Tags {
        let example = "nightly"
        var names: [String] = []
        for item in bag.items(of: field, example: "tags: [\(example), sync]") {
            guard let name = bag.text(item, example: example) else { continue }
            if Tags.problem(of: name) != nil {
                bag.error(
                    .outOfRange, at: item.node.span, "\(quoted(name)) is not a tag",
                    help: "write \(Tags.form)")
            } else {
                names.append(name)
            }
        }
        let tags = Tags(names)
        if tags.names.count > Tags.most {
            bag.error(
                .outOfRange, at: field.node.span, "the task has \(tags.names.count) tags",
                help: "write at most \(Tags.most)")
        }
        return tags
    }

    /// The tasks of a plugin with a limit share that limit.
    private func group(
        of action: TaskDefinition.Action, _ context: TaskContext
    ) -> TaskDeclaration.Group? {
        guard case .handler(let plugin, _) = action else { return nil }
        return context.workers[plugin].map { TaskDeclaration.Group(name: plugin, limit: $0) }
    }

    /// Apple: continued work starts at the request of the user, at once, and not by itself.
    private func checkContinued(_ fields: Fields, _ kind: TaskKind?) {
        guard let kind else { return }
        if kind == .continued {
            for field in fields.present([
                "every", "cron", "calendar", "on", "earliest", "submit", "catch_up", "jitter",
                "retry",
            ]) {
                bag.error(
                    .continuedSchedule, at: field.span,
                    "a task of kind `continued` cannot have `\(field.name)`: a person starts it",
                    help: "drop it, or use `kind: processing` for work that starts by itself")
            }
        } else if let strategy = fields["strategy"] {
            bag.error(
                .continuedOnly, at: strategy.span,
                "a task of kind `\(kind.name)` cannot have `strategy`: it waits",
                help: "drop it, or use `kind: continued` for work a person starts")
        }
    }

    private func checkIdentifier(_ field: Field, _ context: TaskContext) {
        guard IdentifierRule.isWellFormed(field.name, wildcard: true) else {
            reportBadIdentifier(field.name, at: field.span)
            return
        }
        // For the rule, a wildcard's `*` is a suffix like any other.
        guard let (patterns, rule) = context.permitted, !rule.permits(field.name) else { return }
        let alike = patterns.filter { $0.hasSuffix(".*") == field.name.hasSuffix(".*") }
        let nearest = bag.nearest(to: field.name, among: alike)
        bag.error(
            .notPermitted, at: field.span,
            "\(quoted(field.name)) is not in `permitted_identifiers`",
            help: nearest.map { "write `\($0)`, or permit this one too" }
                ?? "add it to `permitted_identifiers`")
    }

    private func decodeKind(_ field: Field, _ context: TaskContext) -> TaskKind? {
        guard let kind = bag.word(field, TaskKind.allCases.map { ($0.name, $0) }) else {
            return nil
        }
        if let mode = kind.requiredMode, let modes = context.modes, !modes.contains(mode) {
            let all = Mode.allCases.filter { modes.contains($0) || $0 == mode }
            bag.error(
                .missingMode, at: field.node.span,
                "kind `\(kind.name)` needs the mode `\(mode.rawValue)`",
                help: "write `modes: [\(all.map(\.rawValue).joined(separator: ", "))]`")
        }
        return kind
    }

    private func decodeAction(
        _ fields: Fields, _ identifier: String, _ context: TaskContext,
        _ environment: [String: String]
    ) -> TaskDefinition.Action? {
        let action = fields.one(
            of: ["handler", "calls", "call"], quoted(identifier), lack: "does not say what to run",
            .notOneAction,
            help: "write one of `handler: plugin.name`, `call: {...}` and `calls: [...]`")
        guard let field = action else { return nil }
        if field.name == "handler" { return decodeHandler(field, context) }
        if let parameters = fields["parameters"] {
            bag.warn(
                .unusedParameters, at: parameters.span,
                "a foreign call is not given the `parameters`",
                help: "drop them; what a call is given stands under `args`")
        }
        return decodeProgram(field, environment: environment).map { .foreign($0) }
    }

    private func decodeHandler(_ field: Field, _ context: TaskContext) -> TaskDefinition.Action? {
        guard let text = bag.text(field, example: "handler: plugin.name") else { return nil }
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let plugin = parts.first.map(String.init), !parts.contains("") else {
            return bag.refuse(
                .badHandler, at: field.node.span, "\(quoted(text)) does not name a handler",
                help: "write the plugin's name, a dot and the handler's name: `photos.refresh`, "
                    + "or the plugin's name alone for its default handler")
        }
        let handler = parts.count > 1 ? String(parts[1]) : nil
        if let names = context.plugins, !names.contains(plugin) {
            let nearest = bag.nearest(to: plugin, among: names)
            let place = shippedPlugins.contains(plugin) ? plugin : "./lib\(plugin).so"
            return bag.refuse(
                .unknownPlugin, at: field.node.span, "unknown plugin \(quoted(plugin))",
                help: nearest.map { "write `\($0)\(handler.map { ".\($0)" } ?? "")`" }
                    ?? "add it: `plugins: {\(plugin): \(place)}`")
        }
        let name = handler ?? TaskDefinition.defaultHandler
        checkShipped(plugin, name, field, context)
        return .handler(plugin: plugin, name: name)
    }

    private func decodeParameters(_ field: Field) -> String? {
        let members = bag.members(of: field, example: "parameters: {database: a.sqlite}")
        return members == nil ? nil : JSONText.value(field.node, bag: bag)
    }

    func decodeEnvironment(_ field: Field) -> [String: String] {
        var environment: [String: String] = [:]
        for variable in bag.members(of: field, example: "environment: {LANG: C}") ?? [] {
            _ = isVariable(variable.name, at: variable.span)
            environment[variable.name] = decodeVariable(variable)
        }
        return environment
    }

    /// Whether an environment variable may have this name, after a report.
    func isVariable(_ name: String, at span: SourceSpan) -> Bool {
        if !name.isEmpty, !name.contains("="), !name.unicodeScalars.contains("\0") { return true }
        bag.error(
            .badName, at: span, "\(quoted(name)) cannot name an environment variable",
            help: "use a name without `=`, for example `LANG`")
        return false
    }

    private func decodeVariable(_ field: Field) -> String? {
        guard let scalar = field.scalar, scalar.value != .null else {
            return bag.refuseType(field, expected: "text", help: "write text, or `\"\"` for none")
        }
        if case .bool = scalar.value {
            return bag.refuse(
                .ambiguousValue, at: field.node.span,
                "\(quoted(scalar.text)) is a truth value, and a variable holds text",
                help: "write `\"\(scalar.text)\"`, `1` or `0`, as the program expects")
        }
        return scalar.text.isEmpty ? "" : bag.verbatim(field, example: field.name + ": text")
    }
}

/// The facts for checking a task. Nil: missing in the manifest, which was reported.
struct TaskContext {
    var modes: Set<Mode>?
    /// The `permitted_identifiers`.
    var permitted: (patterns: [String], rule: IdentifierRule)?
    /// The names of plugins.
    var plugins: [String]?
    /// The plugins installed with bgrun, by the name in the manifest, with their original names.
    var shipped: [String: String]
    /// The limits of plugins with a limit.
    var workers: [String: Int]
    var policy: Policy
    /// The tasks that transfers launch.
    var followers: Set<String> = []
}
