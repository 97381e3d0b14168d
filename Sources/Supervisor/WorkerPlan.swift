// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// How a worker is confined, compiled for this machine.
package struct WorkerPlan: Sendable {
    /// For bgrun-init: see bgrun_plan.h.
    package var bytes: [UInt8]
    /// The variables that the worker gets, besides those of its key.
    package var environment: [String: String]
    /// The paths of its mounts and of its Landlock rules by index, for messages.
    package var mounts: [String]
    package var paths: [String]
    /// The directories that only the worker sees.
    package var temporary: [String]

    package init(
        bytes: [UInt8], environment: [String: String], mounts: [String], paths: [String],
        temporary: [String]
    ) {
        self.bytes = bytes
        self.environment = environment
        self.mounts = mounts
        self.paths = paths
        self.temporary = temporary
    }
}

/// Compiles the confinement of workers for this machine.
package protocol WorkerConfiner {
    /// The plan of a worker; fails if the machine lacks a layer that the confinement requires.
    func plan(
        _ confinement: Confinement, plugin: PluginImage?
    ) -> Result<WorkerPlan, PluginRefusal>
}
