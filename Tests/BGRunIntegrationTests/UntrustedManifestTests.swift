// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

@Suite("A manifest that others could change", .timeLimit(.minutes(5)))
struct UntrustedManifestTests {
    private struct Finding: Decodable {
        var severity: String
        var code: String
    }

    private struct Row: Decodable {
        var check: String
        var status: String
        var found: String
    }

    @Test(
        "is a warning of lint and a problem of the row `manifest` of doctor",
        arguments: [
            ("/one.yaml", 0o666, "mode: ", "one.yaml"), ("", 0o777, "directories: ", "writable"),
        ] as [(String, mode_t, String, String)])
    func untrusted(_ name: String, _ mode: mode_t, _ check: String, _ detail: String) async throws {
        try await Sandbox.with { box in
            try box.writeApp("one", "true")
            let path = box.apps + "/one.yaml"
            func doctor(_ options: String...) async throws -> Finished {
                try await box.start(["doctor", "-m", path, "--state", box.state] + options).end()
            }
            let trusted = try await box.start(["lint", path]).end()
            #expect(trusted.code == 0 && trusted.error.isEmpty, "\(trusted.error)")
            #expect(try await doctor().output.contains("ok    manifest "))
            chmod(box.apps + name, mode)
            let problem = "refuses it: others could change it: \(check)"
            let lint = try await box.start(["lint", path]).end()
            #expect(lint.code == 0 && lint.output.hasSuffix(": no errors\n"))
            #expect(lint.error.contains(problem) && lint.error.contains(detail), "\(lint.error)")
            #expect(lint.error.contains("[untrusted-file]"), "\(lint.error)")
            let json = try await box.start(["lint", "--json", path]).end().output
            let findings = try JSONDecoder().decode([Finding].self, from: Data(json.utf8))
            #expect(findings.map(\.severity) == ["warning"])
            #expect(findings.map(\.code) == ["untrusted-file"])
            let rows = try JSONDecoder().decode(
                [Row].self, from: Data(try await doctor("--json").output.utf8))
            let row = try #require(rows.first { $0.check == "manifest" })
            #expect(row.status == (geteuid() == 0 ? "fail" : "warn"))
            #expect(row.found.contains(problem), "\(row.found)")
        }
    }

    @Test(
        "is accepted if only the user could change it as which a daemon runs the app",
        .enabled(if: Users.canBeChanged))
    func owner() async throws {
        try await Sandbox.with { box in
            try box.writeApp("one", "true")
            let path = box.apps + "/one.yaml"
            chown(box.apps, Users.nobody, .max)
            #expect(try await box.start(["lint", path]).end().error.contains("refuses it"))
            chown(path, Users.nobody, .max)
            let lint = try await box.start(["lint", path]).end()
            #expect(lint.error.isEmpty, "\(lint.error)")
            // A daemon without root's rights runs every app with its own.
            let other = try await box.start(as: Users.nobody - 1, ["lint", path]).end()
            #expect(other.error.contains("the daemon refuses it"), "\(other.error)")
        }
    }
}
