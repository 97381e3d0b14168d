// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

/// The programs are in `FriendlyProgram.swift`.
@Suite("An ordinary program in a handler with `confine: default`", .timeLimit(.minutes(15)))
struct FriendlyProgramTests {
    private static let layers: [Layer?] = [nil, .namespaces]

    @Test(
        "works without further keys, with all layers and without each",
        arguments: AttackUser.available, layers)
    func programs(_ user: AttackUser, without layer: Layer?) async throws {
        // Without namespaces a worker has no terminals of its own.
        let programs = FriendlyProgram.all.filter {
            $0.missing == nil && !(layer == .namespaces && $0.name == "terminal")
        }
        try await Sandbox.with { box in
            let servers = try await Servers(box)
            let app = try write(programs, box, servers, user)
            let run = try await app.start("run", "--once", without: layer).end()
            let history = try await app.start(
                "history", "--json", "--limit", "1000", without: layer
            ).end()
            let attempts = try Sandbox.attempts(history.output)
            for program in programs {
                let identifier = "org.test.\(program.name)"
                let outcome = attempts.last { $0.identifier == identifier }?.outcome
                let lines = run.error.split(separator: "\n").filter { $0.contains(identifier) }
                #expect(
                    outcome == "completed",
                    "\(program.name):\n\(lines.suffix(10).joined(separator: "\n"))")
            }
            for program in FriendlyProgram.all {
                guard let missing = program.missing else { continue }
                print("program \(program.name) not run: \(missing) is missing")
            }
            await servers.stop()
            await box.expectNothingLeft()
        }
    }

    @Test("has a name of its own")
    func names() {
        #expect(Set(FriendlyProgram.all.map(\.name)).count == FriendlyProgram.all.count)
    }

    /// A server of one file by HTTP, and another one by HTTPS; handlers may not listen.
    private struct Servers {
        var plain: Running
        var secure: Running
        var variables: String

        init(_ box: Sandbox) async throws {
            let certificate = box.directory + "/certificate.pem"
            let key = box.directory + "/key.pem"
            let made = try await box.startProgram(
                "/usr/bin/openssl",
                [
                    "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost",
                    "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate,
                    "-days", "2",
                ]
            ).end()
            try #require(made.code == 0, "\(made.error)")
            let www = box.directory + "/www"
            try FileManager.default.createDirectory(
                atPath: www, withIntermediateDirectories: false)
            try "text\n".write(toFile: www + "/file", atomically: false, encoding: .utf8)
            let script = Built.package + "/Tests/BGRunIntegrationTests/Fixtures/files.py"
            plain = try box.startProgram("/usr/bin/python3", [script, www])
            secure = try box.startProgram(
                "/usr/bin/python3", [script, www, "--tls", certificate, key])
            var ports: [Int] = []
            for server in [plain, secure] {
                let port = try await server.line("port ").number(after: "port ")
                ports.append(Int(try #require(port)))
            }
            variables = """
                export HTTP=http://localhost:\(ports[0]) HTTPS=https://localhost:\(ports[1])

                """
        }

        func stop() async {
            for server in [plain, secure] { await server.stop(SIGKILL) }
        }
    }

    /// Each program gets an empty directory in its home: the manifest's own is read-only.
    private func write(
        _ programs: [FriendlyProgram], _ box: Sandbox, _ servers: Servers, _ user: AttackUser
    ) throws -> ConfinedApp {
        let app = try ConfinedApp(box, user)
        try FileManager.default.copyItem(
            atPath: box.directory + "/certificate.pem", toPath: app.directory + "/certificate.pem")
        let tasks = try programs.map { program in
            let text =
                "exec 2>&1; set -eux -o pipefail; export APP=$PWD; mkdir ~/\(program.name); "
                + "cd ~/\(program.name)\n" + servers.variables
                + program.script
            let parameters = try JSONSerialization.data(
                withJSONObject: ["argv": ["/bin/bash", "-c", text]],
                options: [.sortedKeys, .withoutEscapingSlashes])
            return """
                  org.test.\(program.name): {kind: processing, handler: exec.run, parameters: \
                \(String(decoding: parameters, as: UTF8.self))}
                """
        }
        try app.write(
            """
            device: {power: battery}
            plugins: {exec: \(try Built.plugin("exec"))}
            policy: {profile: server, concurrent_attempts: 2}
            confine: default
            tasks:
            \(tasks.joined(separator: "\n"))
            """)
        return app
    }
}
