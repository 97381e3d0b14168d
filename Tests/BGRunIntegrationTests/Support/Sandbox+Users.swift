// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

/// The users that tests run programs as.
enum Users {
    static let nobody: uid_t = 65_534

    /// Whether the tests run as root, and other users can execute the built programs.
    static let canBeChanged: Bool = {
        guard geteuid() == 0 else { return false }
        var path = Built.bgrun
        while path.count > 1 {
            var status = stat()
            guard stat(path, &status) == 0, status.st_mode & S_IXOTH != 0 else { return false }
            path = (path as NSString).deletingLastPathComponent
        }
        return true
    }()
}

extension Sandbox {
    var apps: String { directory + "/apps" }

    /// Writes the manifest of app `org.test.NAME`, whose one task runs a shell command, readable for
    /// all users.
    /// - Parameter more: Further keys of the task, after a comma.
    func writeApp(
        _ name: String, _ command: String, rest: String = "", more: String = "",
        plugin: String? = nil, handler: String = "run"
    ) throws {
        chmod(directory, 0o755)
        try FileManager.default.createDirectory(
            atPath: apps, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        let path = "\(apps)/\(name).yaml"
        try """
        bgrun: 1
        app: org.test.\(name)
        modes: [processing]
        permitted_identifiers: [org.test.\(name).*]
        plugins: {sh: \(try plugin ?? Built.plugin("exec"))}
        policy: {profile: server}
        \(rest)
        tasks:
          org.test.\(name).run: {kind: processing, handler: sh.\(handler), parameters: {command: "\(command)"}\(more)}
        """.write(toFile: path + ".new", atomically: false, encoding: .utf8)
        chmod(path + ".new", 0o644)
        rename(path + ".new", path)
    }

    func startDaemon(_ more: String...) throws -> Running {
        try start(["daemon", "--manifests", apps, "--state", state] + more)
    }

    /// Starts a daemon, and waits until a line of its standard error contains `text`.
    func daemon(
        _ more: String..., until text: String = "Task completed with identifier org.test.one.run"
    ) async throws -> Running {
        let daemon = try start(["daemon", "--manifests", apps, "--state", state] + more)
        try await daemon.line(text)
        return daemon
    }
}
