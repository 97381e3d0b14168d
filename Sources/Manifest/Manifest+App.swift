// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol

extension Manifest {
    /// The data about the app for plugins.
    package var appOfPlugins: HostMessage.App {
        HostMessage.App(
            identifier: app, manifestDirectory: directory, permitted: permittedIdentifiers,
            tasks: tasks.map { task in
                HostMessage.App.Task(
                    identifier: task.declaration.identifier,
                    kind: task.declaration.kind.rawValue,
                    requires: task.declaration.requires.rawValue)
            })
    }
}
