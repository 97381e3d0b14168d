// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

/// How a host finds the processes of an attempt.
enum Containment: String, CaseIterable, CustomTestStringConvertible {
    case namespace = "a PID namespace"
    case walk = "the walk of /proc"
    case confinedWalk = "the walk of /proc, confined"

    /// The value of `confine`. Tests find processes by their mark.
    fileprivate var confine: String {
        self == .walk
            ? "none" : "{profile: default, environment: {keep: [BGRUN_TEST_MARK]}}"
    }

    fileprivate var variables: [String: String] {
        self == .confinedWalk ? ["BGRUN_CONFINE_WITHOUT": "namespaces"] : [:]
    }

    var testDescription: String { rawValue }
}

/// An app of a user, whose attempts are contained in one way.
struct Contained {
    let box: Sandbox
    let way: Containment
    let user: AttackUser

    /// - Parameter tasks: The plugin of Fixtures/leaver.c is `leaver`.
    static func with(
        _ way: Containment, _ user: AttackUser, plugins: [String: String] = [:], tasks: String,
        _ body: (Contained) async throws -> Void
    ) async throws {
        let plugins = plugins.merging(["leaver": try await Built.leaver.value]) { $1 }
        try await Sandbox.with { box in
            try box.write(
                plugins: plugins,
                rest: """
                    confine: \(way.confine)
                    policy: {profile: server, termination_wait: 1s}
                    """, tasks: tasks)
            if geteuid() == 0 {
                for path in [box.directory, box.manifest] { chown(path, user.id, user.id) }
            }
            try await body(Contained(box: box, way: way, user: user))
        }
    }

    /// Starts `bgrun` for this app, as its user.
    func start(_ command: String, _ arguments: String...) throws -> Running {
        let arguments =
            [command, "--manifest", box.manifest, "--state", box.state] + arguments
        return geteuid() == user.id
            ? try box.start(arguments, false, way.variables)
            : try box.start(as: user.id, arguments, way.variables)
    }

    /// The only attempt of `identifier` that has ended.
    func attempt(_ identifier: String) async throws -> Sandbox.Attempt {
        let history = try await start("history", identifier, "--json").end()
        let attempts = try Sandbox.attempts(history.output)
        try #require(attempts.count == 1, "\(attempts) \(history.error)")
        return attempts[0]
    }

    /// The number of PID namespaces below that of the tests in which the process has an ID.
    static func depth(of pid: pid_t) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
        let line = try #require(status.firstMatch(of: /NSpid:([\t0-9]+)/)).output.1
        return line.split(separator: "\t").count - 1
    }
}
