// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy
import BGRunProtocol
import BGRunSupervisor

/// Finds the tasks of a manifest whose handlers are missing in a plugin.
struct HandlerCheck {
    private let manifest: Manifest
    private let plugin: String
    private let image: PluginImage
    private let worker: String
    private let loaded: WorkerMessage.Loaded

    struct Unloadable: Error {
        var reason: String
    }

    /// Loads the plugin in a separate process, as a host would.
    /// - Parameter plugin: Its name in the manifest.
    init(_ manifest: Manifest, _ plugin: String, _ image: PluginImage, worker: String) throws {
        let finding = try Probe.load(image, manifest.appOfPlugins, worker)
        guard case .loaded(let loaded) = finding else {
            throw Unloadable(reason: finding.problem ?? "")
        }
        self.manifest = manifest
        self.plugin = plugin
        self.image = image
        self.worker = worker
        self.loaded = loaded
    }

    struct Problem {
        var task: TaskDefinition
        /// The missing handler, and the existing ones.
        var message: String
        var remedy: String
    }

    var problems: [Problem] {
        lazy var all = unrestricted
        return manifest.tasks.compactMap { task -> Problem? in
            guard case .handler(plugin, let name) = task.action else { return nil }
            guard loaded.handlers.contains(name) else { return missing(name, task) }
            let declaration = task.declaration
            // A continued task may be registered when the user starts it.
            guard declaration.kind != .continued,
                !loaded.hasHandler(
                    name, for: declaration.identifier, kind: declaration.kind.rawValue)
            else { return nil }
            return unregistered(name, task, all)
        }
    }

    /// Includes registrations that the manifest does not permit: the author may have meant one of them.
    private var unrestricted: WorkerMessage.Loaded {
        var all = loaded
        // Only the suggestion depends on them.
        let finding = try? Probe.load(image, .permittingAll(of: manifest.app), worker)
        if case .loaded(let others)? = finding { others.registrations?.forEach { all.add($0) } }
        return all
    }

    /// The names of handlers and tasks that the plugin has, sorted.
    var found: [String] {
        manifest.tasks.flatMap { task -> [String] in
            guard case .handler(plugin, let name) = task.action else { return [] }
            guard name == WorkerMessage.Loaded.defaultHandler else { return [name] }
            let declaration = task.declaration
            return loaded.registered(
                name, for: declaration.identifier, kind: declaration.kind.rawValue)
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

    private func unregistered(
        _ name: String, _ task: TaskDefinition, _ all: WorkerMessage.Loaded
    ) -> Problem {
        let identifier = task.declaration.identifier
        guard !all.hasHandler(name, for: identifier, kind: task.declaration.kind.rawValue) else {
            return Problem(
                task: task,
                message:
                    "the plugin \"\(plugin)\" registers a handler for \(identifier) only when it "
                    + "is loaded without the manifest",
                remedy: "compare the task's `kind` and `requires` with what the plugin expects")
        }
        let known = (all.registrations ?? []).compactMap(\.identifier).removingDuplicates()
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

extension HostMessage.App {
    /// An app without a manifest in which every identifier is permitted.
    static func permittingAll(of identifier: String, in directory: String = "/") -> Self {
        Self(identifier: identifier, manifestDirectory: directory, permitted: ["*"], tasks: [])
    }
}

extension TaskDefinition {
    /// Whether the plugin of this name handles it.
    func isHandled(by plugin: String) -> Bool {
        guard case .handler(plugin, _) = action else { return false }
        return true
    }
}
