// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// The locations of the built programs and plugins.
enum Built {
    /// The executables are in the directory of the test bundle.
    static let directory = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().path
    static let bgrun = directory + "/bgrun"
    static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

    /// A plugin that ships with bgrun.
    static func plugin(_ name: String) throws -> String {
        try file(".build/plugins/libbgrun-\(name).so", madeBy: "make -C Plugins")
    }

    /// A plugin, or a file that is not a plugin, that a host must survive.
    static func misbehaving(_ name: String) throws -> String {
        try file(".build/misbehaving/\(name).so", madeBy: "make -C Tests/Misbehaving")
    }

    /// The plugin of attacks from a confined handler.
    static func hostileAttacks() throws -> String { try misbehaving("hostile/hostile") }

    /// The names of all misbehaving plugins.
    static let misbehavingNames: [String] = names(in: ".build/misbehaving")
    static let badFileNames: [String] = names(in: ".build/misbehaving/bad")

    /// The plugin of these tests: one handler for each feature of a host.
    static let probe = Task { () async throws -> String in try await compiled("probe") }
    /// The plugins of attacks: through processes and calls, and through the worker's channel.
    static let hostile = Task { () async throws -> String in try await compiled("hostile") }
    static let hostileFrames = Task { () async throws -> String in
        try await compiled("hostile-frames")
    }
    /// The plugin whose handlers leave processes of every form.
    static let leaver = Task { () async throws -> String in try await compiled("leaver") }
    /// A library that shifts the wall clock.
    static let shiftedClock = Task { () async throws -> String in
        try await compiled("shift-clock")
    }
    /// The plugin that registers the tasks of its handler.
    static let registering = Task { () async throws -> String in
        try await compiled("registering")
    }
    /// The plugin that breaks the one rule that DEVIATION names.
    static let deviant = Task { () async throws -> String in try await compiled("deviant") }

    /// The plugin that lists many pending requests.
    static let lister = Task { () async throws -> String in try await compiled("lister") }

    /// A plugin that is an app, as an SDK makes one.
    static let app = Task { () async throws -> String in try await compiled("app") }

    private static func compiled(_ name: String) async throws -> String {
        let output = directory + "/integration-\(name).so"
        // Another test process may use the library: it is replaced atomically.
        let new = "\(output).\(getpid())"
        let compiled = try await Running(
            "/usr/bin/cc",
            [
                "-std=c17", "-D_GNU_SOURCE", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-fPIC",
                "-shared", "-pthread", "-I", package + "/Sources/ABI/include", "-o",
                new, package + "/Tests/BGRunIntegrationTests/Fixtures/\(name).c",
            ], environment: ["PATH": "/usr/bin:/bin"]
        ).end()
        guard compiled.code == 0, rename(new, output) == 0 else {
            throw Missing(description: compiled.error)
        }
        return output
    }

    struct Missing: Error, CustomStringConvertible {
        var description: String
    }

    private static func file(_ path: String, madeBy command: String) throws -> String {
        let path = package + "/" + path
        // A dangling link counts as a file.
        var status = stat()
        guard lstat(path, &status) == 0 else {
            throw Missing(description: "\(path) is missing: run `\(command)`, or `make test`")
        }
        return path
    }

    private static func names(in directory: String) -> [String] {
        let files = try? FileManager.default.contentsOfDirectory(atPath: package + "/" + directory)
        return (files ?? []).filter { $0.hasSuffix(".so") }.map { String($0.dropLast(3)) }.sorted()
    }
}
