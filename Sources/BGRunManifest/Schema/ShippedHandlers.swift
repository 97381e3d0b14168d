// SPDX-License-Identifier: Apache-2.0

/// The handlers of the plugins that are installed with bgrun, and the parameters each understands. They
/// refuse others when they are launched; a manifest is told at once.
enum ShippedHandlers {
    /// By plugin and handler; an empty list: any will do.
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
}

extension ManifestDecoder {
    /// Whether `handler` of a plugin that is installed with bgrun exists, if the plugin is one.
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

    /// The parameters of a task whose handler says which it understands.
    ///
    /// - Parameter mayLackCommand: Whether each request of the task can give the command of `exec.run`.
    func checkParameters(
        _ field: Field?, of task: Field, _ action: TaskDefinition.Action?, _ context: TaskContext,
        mayLackCommand: Bool
    ) {
        guard case .handler(let plugin, let handler) = action,
            let shipped = context.shipped[plugin],
            let known = ShippedHandlers.parameters[shipped]?[handler], !known.isEmpty
        else { return }
        if shipped == "exec" { checkCommand(field, of: task, mayLackCommand: mayLackCommand) }
        guard let field, case .mapping(let entries) = field.node.content else { return }
        for entry in entries.map(Field.init) where !known.contains(entry.name) {
            let nearest = bag.nearest(to: entry.name, among: known)
            let remedy = shipped == "exec" ? Section.execRemedies[entry.name] : nil
            bag.error(
                .unknownParameter, at: entry.span,
                "`\(shipped).\(handler)` has no parameter \(quoted(entry.name))",
                help: remedy ?? nearest.map { "write `\($0)`" } ?? "it has \(listed(known))")
        }
    }
}
