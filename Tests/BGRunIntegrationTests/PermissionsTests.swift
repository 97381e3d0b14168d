// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("Permissions of confined tasks", .timeLimit(.minutes(5)))
struct PermissionsTests {
    private static let tasks = """
        org.test.plain: {kind: processing, handler: exec.run, parameters: {command: 'true'}, confine: none}
        org.test.usual: {kind: processing, handler: exec.run, parameters: {command: 'true'}}
        org.test.strict: {kind: processing, handler: exec.run, parameters: {command: 'true'}, confine: strict}
        org.test.wide: {kind: processing, handler: exec.run, parameters: {command: 'true'}, confine: {write: [/etc]}}
        """

    private struct Report: Decodable {
        struct Item: Decodable {
            var access: String
            var allowed: Bool
            var deniedBy: [String]
            var key: String?
            var grant: String?
            var advice: String?
        }
        var profile: String
        var access: [Item]
    }

    private struct Permissions: Decodable {
        struct Exposure: Decodable {
            struct Item: Decodable { var points: Double }
            var score: Double
            var word: String
            var items: [Item]
        }
        var identifier: String
        var profile: String
        var lacks: [String]?
        struct Limits: Decodable { var memory: Int64? }
        var limits: Limits?
        var notLimited: [String: String]?
        var exposure: Exposure
    }

    private static func with(_ body: (Sandbox) async throws -> Void) async throws {
        try await Sandbox.withPlugin("exec", rest: "confine: default", tasks: tasks, body)
    }

    private func access(_ box: Sandbox, _ identifier: String, _ texts: String...) async throws
        -> Report
    {
        let options = texts.flatMap { ["--access", $0] }
        let finished = try await box.run(
            ["explain", identifier, "-m", box.manifest, "--state", box.state, "--json"] + options)
        try #require(finished.code == 0, "\(finished)")
        return try JSONDecoder().decode(Report.self, from: Data(finished.output.utf8))
    }

    @Test("explain --access answers with 0 whether something is permitted or not")
    func explain() async throws {
        try await Self.with { box in
            let report = try await access(
                box, "org.test.usual", "read:/etc/passwd", "write:/etc/x", "connect:443",
                "listen:80")
            #expect(report.profile == "default")
            #expect(report.access.map(\.allowed) == [true, false, true, false])
            // Of /etc only a directory should be granted.
            #expect(
                report.access.map(\.grant) == [
                    nil, nil, nil, "confine: {network: {listen: [80]}}",
                ])
            #expect(report.access.map { $0.advice != nil } == [false, true, false, false])
            let text = try await box.run(
                "explain", "org.test.usual", "--access", "write:/etc/x", "--access", "udp"
            ).output
            #expect(
                text.hasPrefix(
                    "org.test.usual (profile default)\n\n"
                        + "no  write:/etc/x: /etc may only be read (profile default)\n"), "\(text)")
            #expect(text.contains("\n    create a directory for it and grant that\n"), "\(text)")
            #expect(text.hasSuffix("\nok  udp: it may use UDP (profile default)\n"), "\(text)")
            let wide = try await access(box, "org.test.wide", "write:/etc/x").access
            #expect(wide.map(\.allowed) == [true] && wide[0].key == "write")
            #expect(try await access(box, "org.test.plain", "write:/etc/x").access[0].allowed)
        }
    }

    @Test("explain refuses an unknown access, and an unknown task")
    func refusals() async throws {
        try await Self.with { box in
            let typo = try await box.run("explain", "org.test.usual", "--access", "open:/x")
            #expect(typo.code == 64)
            #expect(typo.error.contains("\"open:/x\" is not an access"), "\(typo.error)")
            let both = try await box.run(
                "explain", "org.test.usual", "--access", "udp", "--at", "+1h")
            #expect(both.code == 64)
            let task = try await box.run("explain", "org.test.usul", "--access", "udp")
            #expect(task.code == 77)
            #expect(task.error.contains("did you mean \"org.test.usual\"?"), "\(task.error)")
        }
    }

    @Test("permissions compares tasks, and shows the details of one")
    func permissions() async throws {
        try await Self.with { box in
            let table = try await box.run("permissions")
            #expect(table.code == 0)
            #expect(table.output.hasPrefix("IDENTIFIER "), "\(table.output)")
            #expect(table.output.contains("10.0 UNSAFE"), "\(table.output)")
            let details = try await box.run("permissions", "org.test.wide")
            #expect(details.output.contains("/etc (confine)"), "\(details.output)")
            #expect(details.output.contains("writes files of the system: /etc"))
            let json = try await box.run("permissions", "--json")
            let all = try JSONDecoder().decode([Permissions].self, from: Data(json.output.utf8))
            try #require(all.count == 4)
            #expect(all.map(\.profile) == ["none", "default", "strict", "default"])
            #expect(all[0].exposure.score == 10 && all[0].exposure.word == "UNSAFE")
            #expect(all[0].lacks == nil)
            #expect(all[3].exposure.score > all[1].exposure.score)
            #expect(all[1].exposure.score > all[2].exposure.score)
            for exposure in all.map(\.exposure) {
                let sum = exposure.items.reduce(0) { $0 + $1.points }
                #expect(abs(min(10, sum) - exposure.score) < 0.01)
            }
            let typo = try await box.run("permissions", "org.test.wde")
            #expect(typo.code == 77)
        }
    }

    @Test("permissions shows the limit of memory, and limits that have no effect here")
    func limits() async throws {
        try await Self.with { box in
            let options = ["-m", box.manifest, "--state", box.state]
            let without = ["BGRUN_CONFINE_WITHOUT": "namespaces"]
            let text = try await box.run(["permissions", "org.test.strict"] + options, without)
                .output
            #expect(text.contains("512MiB of memory"), "\(text)")
            #expect(!text.contains("its memory is not limited"), "\(text)")
            let note = "(not limited here: namespaces do not work)"
            #expect(text.contains("64 processes and threads \(note)"), "\(text)")
            #expect(text.contains(" of the machine \(note)\n"), "\(text)")
            #expect(!text.contains("of its own"), "\(text)")
            let json = try await box.run(
                ["permissions", "org.test.strict", "--json"] + options, without)
            let all = try JSONDecoder().decode([Permissions].self, from: Data(json.output.utf8))
            #expect(all.first?.limits?.memory == 512 << 20)
            #expect(all.first?.notLimited?.keys.sorted() == ["tasks", "temporary"])
        }
    }

    @Test("a required layer that is missing is a warning of lint and a failure of doctor")
    func required() async throws {
        try await Self.with { box in
            let without = ["BGRUN_CONFINE_WITHOUT": "landlock"]
            let lint = try await box.run(["lint", box.manifest], without)
            #expect(lint.code == 0)
            let warning =
                "this machine refuses attempts of \"org.test.strict\": it lacks "
            #expect(lint.error.contains(warning), "\(lint.error)")
            #expect(lint.error.contains("[missing-layer]"), "\(lint.error)")
            let doctor = try await box.run(
                ["doctor", "-m", box.manifest, "--state", box.state], without)
            #expect(doctor.code == 1)
            #expect(
                doctor.output.contains(
                    "fail  confine       org.test.strict requires what this machine lacks\n"),
                "\(doctor.output)")
            #expect(doctor.output.contains("Landlock is missing or not enabled\n"))
        }
    }

    @Test("doctor has one line for a manifest without confinement")
    func unconfined() async throws {
        try await Sandbox.withPlugin(
            "exec",
            tasks: "org.test.a: {kind: processing, handler: exec.run, "
                + "parameters: {command: 'true'}}"
        ) { box in
            let doctor = try await box.run("doctor").output
            #expect(doctor.contains("ok    confine       no task is confined\n"), "\(doctor)")
        }
    }

    /// `body` gets a file that confined handlers cannot read, and whether a layer denies that here; two attempts have
    /// failed, one to read the file and one to read a missing file.
    private func withDenial(
        _ body: (_ box: Sandbox, _ secret: String, _ isDenied: Bool) async throws -> Void
    ) async throws {
        try await Sandbox.withPlugin(
            "exec", rest: "policy: {profile: server}\nconfine: default",
            tasks: """
                org.test.denied: {kind: processing, handler: exec.run, parameters: {command: cat secret}}
                org.test.other: {kind: processing, handler: exec.run, parameters: {command: cat /nowhere/at/all}}
                """
        ) { box in
            // The states of other apps are hidden. The manifest's directory may be read.
            let other = box.state + "/other"
            try FileManager.default.createDirectory(
                atPath: other, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            let secret = other + "/secret"
            try "x\n".write(toFile: secret, atomically: true, encoding: .utf8)
            try box.changeManifest("cat secret", to: "cat \(secret)")
            try await box.run("run", "--once", "--quiet")
            let decision = try await access(box, "org.test.denied", "read:\(secret)").access
            #expect(decision.map(\.allowed) == [false])
            try await body(box, secret, decision.contains { !$0.deniedBy.isEmpty })
        }
    }

    @Test("explain names the denial that a failed attempt reports, and the grant")
    func denial() async throws {
        try await withDenial { box, secret, isDenied in
            let outcome = try await box.history("org.test.denied").last?.outcome
            let explained = try await box.run("explain", "org.test.denied").output
            if isDenied {
                #expect(outcome == "failed")
                let advice =
                    "confined: reading \(secret) is not permitted; "
                    + "`confine: {read: [\(secret)]}` would allow it\n"
                #expect(explained.contains(advice), "\(explained)")
            } else {
                // Without namespaces and Landlock nothing denies it.
                #expect(outcome != "failed" && !explained.contains("confined:"), "\(explained)")
            }
            #expect(!(try await box.run("explain", "org.test.other").output.contains("confined:")))
        }
    }

    @Test("explain leaves the denial out if the worker program is missing")
    func missingWorker() async throws {
        try await withDenial { box, _, _ in
            let directory = "\(Built.directory)/explain-\(UUID().uuidString)"
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: directory) }
            // Its path is the one in /proc/self/exe.
            try FileManager.default.linkItem(atPath: Built.bgrun, toPath: directory + "/bgrun")
            let explained = try await box.startProgram(
                directory + "/bgrun",
                ["explain", "org.test.denied", "-m", box.manifest, "--state", box.state]
            ).end()
            #expect(explained.code == 0, "\(explained.error)")
            #expect(explained.output.contains("org.test.denied"))
            #expect(!explained.output.contains("confined:"))
        }
    }
}
