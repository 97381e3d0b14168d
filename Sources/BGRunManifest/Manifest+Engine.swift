// SPDX-License-Identifier: Apache-2.0

public import BGRunCore

extension Manifest {
    /// What the engine goes by.
    public var engineConfiguration: Engine.Configuration {
        Engine.Configuration(
            permitted: permittedIdentifiers, declarations: tasks.map(\.declaration), modes: modes,
            policy: policy, usageZone: usageZone)
    }
}
