// SPDX-License-Identifier: Apache-2.0

import BGRunConfinement
import BGRunDaemon
import BGRunManifest
import BGRunPolicy
import BGRunStorage

/// The confinement of an app's tasks on this machine, as its host would apply it now.
struct AppConfinement {
    let manifest: Manifest
    let site: ConfinementSite
    /// Without a confined task, nothing is probed.
    let layers: MachineLayers
    private let installation = Installation()

    init(_ manifest: Manifest, _ state: StateDirectory) throws {
        self.manifest = manifest
        site = ConfinementSite(
            manifest, state, worker: try installation.requiredWorker(), installation)
        layers = manifest.confinedTasks.isEmpty ? .unprobed : site.machineLayers()
    }

    func rules(of task: TaskDefinition) -> AccessRules {
        AccessRules(manifest.confinement(of: task), view(of: task), layers)
    }

    func view(of task: TaskDefinition) -> FileView {
        FileView(manifest.confinement(of: task), plugin: plugin(of: task), site)
    }

    /// The file of its plugin; nil: it has none, or the file is missing.
    private func plugin(of task: TaskDefinition) -> String? {
        guard case .handler(let name, _) = task.action else { return nil }
        switch manifest.plugins.first(where: { $0.name == name })?.location {
        case .path(let path): return path
        case .shipped(let shipped): return installation.plugin(shipped)
        case nil: return nil
        }
    }
}

extension Manifest {
    /// Whether a task's handler lacks rights of its user.
    func isConfined(_ task: TaskDefinition) -> Bool { confinement(of: task).profile != .none }

    var confinedTasks: [TaskDefinition] { tasks.filter(isConfined) }
}

extension MachineLayers {
    /// For a manifest whose tasks need none.
    fileprivate static let unprobed = MachineLayers(
        namespaceProblem: nil, landlock: 0, hasSeccomp: true)
}
