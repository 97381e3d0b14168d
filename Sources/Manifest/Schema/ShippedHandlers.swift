// SPDX-License-Identifier: Apache-2.0

/// The handlers of the plugins that are installed with bgrun, and their parameters. They refuse other parameters
/// at launch; this check reports them in the manifest.
enum ShippedHandlers {
    /// By plugin and handler; an empty list: any parameter is valid.
    static let parameters: [String: [String: [String]]] = [
        "exec": [
            "run": [
                "command", "argv", "directory", "environment", "success_codes", "stdin", "input",
                "expire_signal",
            ]
        ],
        "python": ["run": []],
        "sqlite-maintenance": [
            "maintain": [
                "database", "integrity_check", "purge", "vacuum", "batch", "busy_timeout",
                "foreign_keys",
            ]
        ],
        "sync-directory": [
            "copy": ["from", "to", "delete", "fsync", "exclude", "checkpoint_every", "rate"],
            "prune": ["directory", "match", "older_than", "keep", "recursive", "dry_run"],
        ],
    ]

    /// The required parameters of a handler, one or more of each list; `exec.run` has separate rules.
    static let required: [String: [String: [[String]]]] = [
        "exec": ["run": []],
        "python": ["run": [["module"], ["function"]]],
        "sqlite-maintenance": ["maintain": [["database"]]],
        "sync-directory": [
            "copy": [["from"], ["to"]],
            "prune": [["directory"], ["older_than", "keep"]],
        ],
    ]

    /// The parameters that name a file, relative to the manifest, without which every attempt fails.
    static let files: [String: [String: [String]]] = ["python": ["run": ["module"]]]

    /// The plugins installed with bgrun, by the name in the manifest, with their original names.
    static func names(of plugins: [PluginReference]) -> [String: String] {
        Dictionary(
            plugins.compactMap { plugin in
                guard case .shipped(let name) = plugin.location else { return nil }
                return (plugin.name, name)
            }, uniquingKeysWith: { first, _ in first })
    }
}

extension Manifest {
    /// The reason why the handler of a task cannot use the parameters of a launch, with a remedy; nil: no known
    /// reason.
    package func problem(
        ofParameters parameters: JSONValue, of task: TaskDefinition
    ) -> String? {
        let bag = DiagnosticBag(file: path, source: SourceText(bytes: []))
        let field = Field(name: "parameters", node: Node(parameters))
        let context = TaskContext(
            shipped: ShippedHandlers.names(of: plugins), workers: [:], policy: policy)
        ManifestDecoder(bag: bag, base: BaseDirectory(directory), options: ManifestReader.Options())
            .checkParameters(
                field, of: field, task.action, context, mayLackRequired: false, isJSON: true)
        return bag.sorted.first { $0.severity == .error }.map { "\($0.message); \($0.remedy)" }
    }
}

extension Node {
    /// A value without a place.
    fileprivate init(_ value: JSONValue) {
        let mark = SourceMark(line: 1, column: 1)
        let span = SourceSpan(start: mark, end: mark)
        func scalar(_ text: String, _ value: CoreValue) -> Content {
            .scalar(Scalar(text: text, value: value))
        }
        let content: Content =
            switch value {
            case .null: scalar("null", .null)
            case .bool(let value): scalar("\(value)", .bool(value))
            case .integer(let value): scalar("\(value)", .integer)
            case .unsigned(let value): scalar("\(value)", .integer)
            case .decimal(let value): scalar("\(value)", .integer)
            case .number(let value): scalar("\(value)", .real)
            case .string(let text): scalar(text, .text)
            case .array(let items): .sequence(items.map { Node($0) })
            case .object(let members):
                .mapping(
                    members.sorted { $0.key < $1.key }.map {
                        Entry(key: Key(text: $0.key, span: span), value: Node($0.value))
                    })
            }
        self.init(content: content, span: span)
    }
}

extension ManifestDecoder {
    /// Whether `handler` exists, if the plugin is one that is installed with bgrun.
    func checkShipped(_ plugin: String, _ handler: String, _ field: Field, _ context: TaskContext) {
        guard let shipped = context.shipped[plugin],
            let handlers = ShippedHandlers.parameters[shipped], handlers[handler] == nil
        else { return }
        let names = handlers.keys.sorted()
        let nearest = bag.nearest(to: handler, among: names) ?? names[0]
        bag.error(
            .unknownHandler, at: field.node.span,
            "the plugin `\(shipped)` has no handler \(quoted(handler))",
            help: names.count == 1
                ? "write `\(plugin).\(nearest)`"
                : "write `\(plugin).\(nearest)`; it has \(listed(names))")
    }

    /// Checks the parameters of a task whose handler has a known list.
    ///
    /// - Parameters:
    ///   - mayLackRequired: Whether each request of the task can give the required ones.
    ///   - isJSON: Whether they are written as JSON, not in a manifest.
    func checkParameters(
        _ field: Field?, of task: Field, _ action: TaskDefinition.Action?, _ context: TaskContext,
        mayLackRequired: Bool, isJSON: Bool = false
    ) {
        guard case .handler(let plugin, let handler) = action,
            let shipped = context.shipped[plugin],
            let known = ShippedHandlers.parameters[shipped]?[handler]
        else { return }
        var fields: [Field] = []
        if let field {
            guard case .mapping(let entries) = field.node.content else { return }
            fields = entries.map(Field.init)
        }
        let span = field?.span ?? task.span
        if shipped == "exec" { checkCommand(fields, at: span, mayLackCommand: mayLackRequired) }
        // Like the handlers, treats null and empty text as missing; reports a misspelt name only once.
        var given = Set(
            fields.filter { $0.scalar?.value != .null && $0.scalar?.text != "" }.map(\.name))
        for entry in fields where !known.isEmpty && !known.contains(entry.name) {
            let nearest = bag.nearest(to: entry.name, among: known)
            if let nearest { given.insert(nearest) }
            let remedy = shipped == "exec" ? Section.execRemedies[entry.name] : nil
            bag.error(
                .unknownParameter, at: entry.span,
                "`\(shipped).\(handler)` has no parameter \(quoted(entry.name))",
                help: remedy ?? nearest.map { "write `\($0)`" } ?? "it has \(listed(known))")
        }
        let files = ShippedHandlers.files[shipped]?[handler] ?? []
        for entry in fields where files.contains(entry.name) { checkHandlerFile(entry) }
        let required = ShippedHandlers.required[shipped]?[handler] ?? []
        if known.isEmpty, !mayLackRequired {
            let names = required.joined().filter { !given.contains($0) }
            for entry in fields where !required.joined().contains(entry.name) {
                guard let nearest = bag.nearest(to: entry.name, among: names),
                    given.insert(nearest).inserted
                else { continue }
                bag.error(
                    .badParameter, at: entry.span,
                    "`\(shipped).\(handler)` needs the parameter `\(nearest)`, not "
                        + quoted(entry.name),
                    help: "write `\(nearest)`")
            }
        }
        let missing = required.filter { given.isDisjoint(with: $0) }
        guard !mayLackRequired, !missing.isEmpty else { return }
        let conjunction = missing.contains { $0.count > 1 } ? ", and " : " and "
        func all(_ form: (String) -> String) -> String {
            missing.map { listed($0.map(form), joinedBy: "or") }.joined(separator: conjunction)
        }
        bag.error(
            .badParameter, at: span,
            "`\(shipped).\(handler)` needs the parameter\(missing.count > 1 ? "s" : "") "
                + all { $0 },
            help: "add " + all { isJSON ? "\"\($0)\": ..." : "\($0): ..." })
    }

    private func checkHandlerFile(_ field: Field) {
        guard options.checksHandlerFiles, let scalar = field.scalar, scalar.value == .text,
            !scalar.text.isEmpty
        else { return }
        let path = base.resolve(scalar.text)
        guard let absence = SourceFile.absence(of: path) else { return }
        bag.error(
            .missingFile, at: field.node.span, "\(quoted(path, limit: 200)): \(absence)",
            help: "write the file, or correct the path (relative to the manifest's directory)")
    }
}
