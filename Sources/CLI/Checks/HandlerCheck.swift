// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy
import BGRunProtocol

/// Finds the tasks of a manifest whose handler a loaded plugin does not have.
struct HandlerCheck {
    let manifest: Manifest
    /// The plugin's name in the manifest.
    let plugin: String
    let loaded: WorkerMessage.Loaded

    struct Problem {
        var task: TaskDefinition
        /// The missing handler, and the existing ones.
        var message: String
        var remedy: String
    }

    var problems: [Problem] {
        manifest.tasks.compactMap { task in
            guard case .handler(plugin, let name) = task.action else { return nil }
            guard loaded.handlers.contains(name) else { return missing(name, task) }
            let declaration = task.declaration
            // A continued task may be registered when a person asks for it.
            guard declaration.kind != .continued,
                !loaded.hasHandler(
                    name, for: declaration.identifier, kind: declaration.kind.rawValue)
            else { return nil }
            return unregistered(task)
        }
    }

    /// The names of handlers and tasks that the plugin has, sorted.
    var found: [String] {
        manifest.tasks.compactMap { task in
            guard case .handler(plugin, let name) = task.action else { return nil }
            return name == WorkerMessage.Loaded.defaultHandler ? task.declaration.identifier : name
        }.sorted().removingDuplicates()
    }

    private func missing(_ name: String, _ task: TaskDefinition) -> Problem {
        let isApp = loaded.registrations != nil
        return Problem(
            task: task,
            message: "the plugin \"\(plugin)\" has no handler \"\(name)\"; it registers "
                + list(loaded.handlers),
            remedy: isApp
                ? "write `handler: \(plugin)`: the plugin tells its tasks apart by their identifiers"
                : "write `handler: \(plugin).\(near(name, loaded.handlers) ?? "NAME")`")
    }

    private func unregistered(_ task: TaskDefinition) -> Problem {
        let identifier = task.declaration.identifier
        let known = (loaded.registrations ?? []).compactMap(\.identifier).removingDuplicates()
        let near = near(identifier, known)
        return Problem(
            task: task,
            message:
                "the plugin \"\(plugin)\" registers no handler for \(identifier); it registers "
                + list(known),
            remedy: near.map { "did you mean \"\($0)\"? Identifiers are compared letter by letter" }
                ?? "register it before the launch is over: in didFinishLaunchingWithOptions or init"
        )
    }

    private func near(_ name: String, _ names: [String]) -> String? {
        NearMiss.nearest(to: name, among: names) ?? (names.count == 1 ? names[0] : nil)
    }

    private func list(_ names: [String]) -> String {
        names.isEmpty ? "none" : names.map { LogText.visible($0) }.joined(separator: ", ")
    }
}

extension TaskDefinition {
    /// Whether its handler is one of the plugin of this name.
    func isHandled(by plugin: String) -> Bool {
        guard case .handler(plugin, _) = action else { return false }
        return true
    }
}

extension Array where Element: Hashable {
    /// The first of equal elements, in order.
    func removingDuplicates() -> [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
