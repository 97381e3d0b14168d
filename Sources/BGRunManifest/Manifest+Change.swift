// SPDX-License-Identifier: Apache-2.0

import BGRunCore

extension Manifest {
    /// The tasks by declared identifier.
    public var definitions: [String: TaskDefinition] {
        Dictionary(tasks.map { ($0.declaration.identifier, $0) }) { first, _ in first }
    }

    /// Whether nothing has changed but where in the file it is said.
    public func saysTheSame(as other: Manifest) -> Bool {
        app == other.app && modes == other.modes && directory == other.directory
            && permittedIdentifiers == other.permittedIdentifiers
            && plugins.map(\.unmarked) == other.plugins.map(\.unmarked)
            && tasks.map(\.unmarked) == other.tasks.map(\.unmarked) && device == other.device
            && policy == other.policy
    }

    /// Declared identifiers that the host is to submit, as it was not under `old`.
    public func added(since old: Manifest) -> [String] {
        let known = old.definitions
        return tasks.map(\.declaration).filter { task in
            guard task.submission == .launch else { return false }
            guard let before = known[task.identifier]?.declaration else { return true }
            return before.submission != .launch || before.every == nil && task.every != nil
        }.map(\.identifier)
    }

    /// Whether what `old` has started for `identifier`, as its task `declared`, is what this manifest
    /// would start: the same action on the same plugin with the same parameters.
    public func runsAlike(_ identifier: String, declared: String, in old: Manifest) -> Bool {
        let rule = AdmissionRule(
            permitted: permittedIdentifiers, declarations: tasks.map(\.declaration), modes: modes,
            policy: policy)
        guard let before = old.definitions[declared],
            let after = rule.declaration(for: identifier).flatMap({ definitions[$0.identifier] })
        else { return false }
        return before.declaration.kind == after.declaration.kind && before.action == after.action
            && before.parameters == after.parameters && before.environment == after.environment
            && directory == old.directory
            && plugin(of: after.action) == old.plugin(of: before.action)
    }

    private func plugin(of action: TaskDefinition.Action) -> PluginReference? {
        guard case .handler(let name, _) = action else { return nil }
        return plugins.first { $0.name == name }.map { plugin in
            var plugin = plugin.unmarked
            plugin.workers = nil
            return plugin
        }
    }
}

extension PluginReference {
    fileprivate var unmarked: PluginReference {
        var copy = self
        copy.mark = SourceMark(line: 0, column: 0)
        return copy
    }
}

extension TaskDefinition {
    fileprivate var unmarked: TaskDefinition {
        var copy = self
        copy.mark = SourceMark(line: 0, column: 0)
        return copy
    }
}
