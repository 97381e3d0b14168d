// SPDX-License-Identifier: Apache-2.0

/// The user, the places and the environment of an app, for the plans of its workers. Paths are absolute.
package struct ConfinementSite: Sendable {
    package var user: UInt32
    package var group: UInt32
    /// The home directories of this machine, and the user's own.
    package var homes: [String]
    /// The manifest, the files of its plugins and those of variables: they decide what runs next.
    package var guarded: [String]
    /// Files that only the host reads.
    package var secrets: [String]
    package var manifestDirectory: String
    /// The app's state; nil: it has none.
    package var state: String?
    /// The directory with the states of all apps.
    package var stateBase: String?
    /// The app's home and its downloads, within its state.
    package var data: [String]
    /// The `bgrun-worker` executable.
    package var worker: String
    /// The host's environment.
    package var variables: [String: String]

    package init(
        user: UInt32, group: UInt32, homes: [String], guarded: [String], secrets: [String],
        manifestDirectory: String, state: String?, stateBase: String?, data: [String],
        worker: String, variables: [String: String]
    ) {
        self.user = user
        self.group = group
        self.homes = homes
        self.guarded = guarded
        self.secrets = secrets
        self.manifestDirectory = manifestDirectory
        self.state = state
        self.stateBase = stateBase
        self.data = data
        self.worker = worker
        self.variables = variables
    }

    var isRoot: Bool { user == 0 }
}
