// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

extension Manifest {
    /// What the handler or the calls of `task` may do: the keys of the manifest, of the plugin and of the task. Foreign
    /// calls have no plugin.
    package func confinement(of task: TaskDefinition) -> Confinement {
        let plugin = plugins.first { $0.name == task.plugin }?.confinement ?? ConfinementKeys()
        return Confinement(confinement.with(plugin).with(task.confinement))
    }
}

extension TaskDefinition {
    /// The name of the plugin of its handler; nil for foreign calls.
    var plugin: String? {
        if case .handler(let plugin, _) = action { plugin } else { nil }
    }
}
