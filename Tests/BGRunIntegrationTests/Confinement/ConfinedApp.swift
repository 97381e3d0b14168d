// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

/// An app of a user in a directory of its own: a home or a directory with the state is not granted to handlers.
struct ConfinedApp: Sendable {
    let box: Sandbox
    let user: AttackUser
    var directory: String { box.directory + "/work" }

    init(_ box: Sandbox, _ user: AttackUser) throws {
        self.box = box
        self.user = user
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: false)
    }

    /// Writes the manifest, and gives the user what is in its directory.
    func write(_ rest: String) throws {
        try """
        bgrun: 1
        app: org.test.app
        modes: [processing]
        permitted_identifiers: [org.test.*]
        \(rest)
        """.write(toFile: directory + "/app.yaml", atomically: false, encoding: .utf8)
        guard geteuid() == 0 else { return }
        let names = try FileManager.default.subpathsOfDirectory(atPath: directory)
        for path in [box.directory, directory] + names.map({ "\(directory)/\($0)" }) {
            try #require(chown(path, user.id, user.id) == 0, "\(path): errno \(errno)")
        }
    }

    /// Starts `bgrun` for it as the user.
    func start(
        _ command: String, _ arguments: String..., without layer: Layer? = nil
    ) throws -> Running {
        let all =
            [command, "--manifest", directory + "/app.yaml", "--state", box.state] + arguments
        let variables = ["BGRUN_CONFINE_WITHOUT": layer?.rawValue ?? ""]
        return geteuid() == user.id
            ? try box.start(all, false, variables)
            : try box.start(as: user.id, all, variables)
    }
}
