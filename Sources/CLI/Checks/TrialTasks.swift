// SPDX-License-Identifier: Apache-2.0

import BGRunConformance
import BGRunHost
import BGRunManifest
import BGRunPolicy
import BGRunProtocol
import BGRunSupervisor

/// The tasks of a manifest that a plugin handles.
struct TrialTasks {
    let tasks: [TrialTask]
    let app: HostMessage.App
    let permits: @Sendable (String) -> Bool

    /// Reports problems and ends the command.
    /// - Parameter only: The identifiers to try; empty: all.
    init(manifest path: String, plugin file: String, only: [String]) throws {
        let manifest = try Manifest.read(path)
        let images = PluginImages(installation: Installation())
        let names = manifest.plugins.map(\.name).filter { name in
            guard case .success(let image) = images.image(manifest, name) else { return false }
            return DaemonPlaces.isSameFile(image.path, file)
        }
        let found = manifest.tasks.compactMap { task -> TrialTask? in
            guard case .handler(let plugin, let handler) = task.action, names.contains(plugin),
                only.isEmpty || only.contains(task.declaration.identifier)
            else { return nil }
            return TrialTask(task, handler: handler, directory: manifest.directory)
        }
        let known = Set(found.map(\.identifier))
        if found.isEmpty || !only.allSatisfy({ known.contains(TrialTask.identifier($0)) }) {
            throw Exit.badData.reporting(
                "\(path) has no such task whose handler is in \(file); "
                    + "name the file under plugins: and give --task as in tasks:")
        }
        tasks = found
        app = manifest.appOfPlugins
        let rule = IdentifierRule(permitting: manifest.permittedIdentifiers)
        permits = { rule.permits($0) }
    }
}
