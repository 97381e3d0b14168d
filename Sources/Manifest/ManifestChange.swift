// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// The replacement of a manifest by another one of the same app. Builds the lookup tables of both once.
package final class ManifestChange: Sendable {
    package let next: Manifest
    private let old: Manifest
    private let before: [String: TaskDefinition]
    private let after: [String: TaskDefinition]
    private let rule: AdmissionRule

    package init(from old: Manifest, to next: Manifest) {
        self.old = old
        self.next = next
        before = old.definitions
        after = next.definitions
        rule = AdmissionRule(next.engineConfiguration)
    }

    /// Declared identifiers that the host must submit now, but not before.
    package var added: [String] {
        next.tasks.map(\.declaration).filter { task in
            guard task.submission == .launch else { return false }
            guard let known = before[task.identifier]?.declaration else { return true }
            return known.submission != .launch || known.schedule == nil && task.schedule != nil
        }.map(\.identifier)
    }

    /// Whether a running attempt of `identifier`, started as the task `declared`, is the same as one
    /// started now: the same action on the same plugin with the same parameters and the same confinement.
    package func runsAlike(_ identifier: String, declared: String) -> Bool {
        guard let then = before[declared],
            let now = rule.declaration(for: identifier).flatMap({ after[$0.identifier] })
        else { return false }
        return then.declaration.kind == now.declaration.kind && then.action == now.action
            && then.listens?.place == now.listens?.place && then.parameters == now.parameters
            && then.environment == now.environment && then.secrets == now.secrets
            && next.directory == old.directory
            && next.plugin(of: now.action) == old.plugin(of: then.action)
            && next.confinement(of: now) == old.confinement(of: then)
    }
}

extension Manifest {
    /// The tasks by declared identifier.
    package var definitions: [String: TaskDefinition] {
        Dictionary(tasks.map { ($0.declaration.identifier, $0) }) { first, _ in first }
    }

    /// Whether both differ at most in places in the file.
    package func saysTheSame(as other: Manifest) -> Bool {
        app == other.app && modes == other.modes && directory == other.directory
            && permittedIdentifiers == other.permittedIdentifiers
            && plugins.map(\.unmarked) == other.plugins.map(\.unmarked)
            && tasks.map(\.unmarked) == other.tasks.map(\.unmarked) && device == other.device
            && policy == other.policy && account == other.account && hooks == other.hooks
            && transfers.map(\.unmarked) == other.transfers.map(\.unmarked)
            && push == other.push && confinement == other.confinement
    }

    fileprivate func plugin(of action: TaskDefinition.Action) -> PluginReference? {
        guard case .handler(let name, _) = action else { return nil }
        return plugins.first { $0.name == name }.map { plugin in
            var plugin = plugin.unmarked
            plugin.workers = nil
            // Compared with that of the manifest and the task.
            plugin.confinement = ConfinementKeys()
            return plugin
        }
    }
}

private protocol Marked {
    var mark: SourceMark { get set }
}

extension Marked {
    fileprivate var unmarked: Self {
        var copy = self
        copy.mark = SourceMark(line: 0, column: 0)
        return copy
    }
}

extension PluginReference: Marked {}
extension TaskDefinition: Marked {}
extension TransferDefinition: Marked {}
