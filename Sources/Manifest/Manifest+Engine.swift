// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

extension Manifest {
    /// What the engine goes by.
    package var engineConfiguration: Engine.Configuration {
        Engine.Configuration(
            permitted: permittedIdentifiers, declarations: tasks.map(\.declaration), modes: modes,
            policy: policy, usageZone: usageZone)
    }
}
