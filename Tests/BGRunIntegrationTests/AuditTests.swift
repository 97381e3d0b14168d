// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// `bgrun audit` finds a script in place of bgrun-audit.
@Suite("bgrun audit", .timeLimit(.minutes(5)))
struct AuditTests {
    @Test("passes the files of the manifest to bgrun-audit, then the other arguments unchanged")
    func listing() async throws {
        try await Installed.with { installed in
            try await installed.writeScript(
                "bgrun-audit", "#!/bin/sh\nprintf '%s\\n' \"$@\"\nexit 1\n")
            try installed.write(
                "app.yaml",
                """
                bgrun: 1
                app: org.test.app
                modes: [fetch]
                permitted_identifiers: [org.test.refresh, org.test.export.*]
                plugins: {app: ./libapp.so}
                tasks:
                  org.test.refresh: {kind: app-refresh, handler: app.refresh}
                """)
            let ended = try await installed.bgrun(
                ["audit", "--sarif", "-m", installed.path("app.yaml"), "Sources", "--fix"])
            #expect(ended.code == 1)
            let arguments = ended.output.split(separator: "\n").map(String.init)
            #expect(
                arguments == [
                    "--declared",
                    """
                    {"identifiers":["org.test.refresh","org.test.export.*"],\
                    "kinds":{"org.test.refresh":"app-refresh"},"modes":["fetch"],\
                    "refreshFloor":900,"source":"\(installed.path("app.yaml"))"}
                    """,
                    "--sarif", "Sources", "--fix",
                ])
        }
    }

    @Test("prints how to install bgrun-audit if it is missing")
    func notInstalled() async throws {
        try await Installed.with { installed in
            let ended = try await installed.bgrun(["audit", "Sources"])
            #expect(ended.code == 69)
            #expect(
                ended.error == """
                    bgrun: bgrun-audit is not installed beside bgrun; `make install` and the package install it

                    """)
        }
    }

    @Test("ends before the audit if the manifest cannot be read")
    func badManifest() async throws {
        try await Installed.with { installed in
            try await installed.writeScript("bgrun-audit", "#!/bin/sh\necho audited\n")
            try installed.write("app.yaml", "bgrun: 1\n")
            let bad = try await installed.bgrun(["audit", "-m", installed.path("app.yaml")])
            #expect(bad.code == 65)
            #expect(bad.output == "")
            let missing = try await installed.bgrun(["audit", "-m", installed.path("no.yaml")])
            #expect(missing.code == 66)
        }
    }
}

/// A directory with a copy of bgrun.
private struct Installed {
    let directory: String

    static func with(_ body: (Installed) async throws -> Void) async throws {
        let directory = "\(Built.directory)/audit-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        // A hard link changes the path in /proc/self/exe; a symbolic link would not.
        try FileManager.default.linkItem(atPath: Built.bgrun, toPath: directory + "/bgrun")
        try await body(Installed(directory: directory))
    }

    func path(_ name: String) -> String { "\(directory)/\(name)" }

    func write(_ name: String, _ text: String) throws {
        try text.write(toFile: path(name), atomically: true, encoding: .utf8)
    }

    /// Another process writes the script: if this one did, a process that another test starts at that
    /// moment could inherit the open file, and the script could not be executed.
    func writeScript(_ name: String, _ text: String) async throws {
        try write(name + ".sh", text)
        _ = try await Running(
            "/usr/bin/install", [path(name + ".sh"), path(name)], environment: [:]
        ).end()
    }

    func bgrun(_ arguments: [String]) async throws -> Finished {
        try await Running(path("bgrun"), arguments, environment: ["PATH": "/usr/bin:/bin"]).end()
    }
}
