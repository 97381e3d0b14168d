// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

@Suite("Secrets of tasks, and files of variables", .timeLimit(.minutes(5)))
struct SecretTests {
    private let text = "tell-" + String(repeating: "me", count: 12)

    private func task(
        _ name: String = "a", _ command: String, more: String = ""
    ) -> String {
        "org.test.\(name): {kind: processing, handler: sh.run, "
            + "parameters: {command: '\(command)'}\(more)}"
    }

    private let token = ", secrets: {token: {file: ./token}}"

    private func write(_ box: Sandbox, _ tasks: String..., mode: Int = 0o600) throws {
        let path = box.directory + "/token"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        try box.write(
            plugins: ["sh": try Built.plugin("exec")], rest: "policy: {profile: server}",
            tasks: tasks.joined(separator: "\n"))
    }

    /// The files below a directory that contain the secret, except its own.
    private func copies(below directory: String) -> [String] {
        let names = FileManager.default.enumerator(atPath: directory)?.compactMap { $0 as? String }
        return (names ?? []).filter { name in
            let data = FileManager.default.contents(atPath: directory + "/" + name) ?? Data()
            return name != "token" && data.range(of: Data(text.utf8)) != nil
        }
    }

    @Test("a command reads its secret, which is stored nowhere")
    func readsSecret() async throws {
        try await Sandbox.with { box in
            // Only its digest may be in the output; the environments are those of the command and of its worker.
            try write(
                box,
                task(
                    "a",
                    "sha256sum < \"$BGRUN_SECRET_token\"; cat \"$BGRUN_SECRET_token\" > copy; "
                        + "cat /proc/$$/environ /proc/$PPID/environ > environments; "
                        + "cat /proc/$$/cmdline /proc/$PPID/cmdline > words", more: token))
            let finished = try await box.run("run", "--once")
            #expect(finished.code == 0, "\(finished.error)")
            let copy = box.directory + "/copy"
            #expect(try String(contentsOfFile: copy, encoding: .utf8) == text)
            try FileManager.default.removeItem(atPath: copy)
            let environments = try Data(
                contentsOf: URL(filePath: box.directory + "/environments"))
            #expect(environments.range(of: Data("BGRUN_SECRET_token=/proc/self/fd/3".utf8)) != nil)
            #expect(copies(below: box.directory) == [])
            let history = try await box.run("history", "--output", "1", "--json")
            #expect(history.code == 0)
            for output in [finished.output, finished.error, history.output] {
                #expect(!output.contains(text))
            }
        }
    }

    @Test("the next attempt in the same worker has no descriptor or variable of it")
    func nextAttempt() async throws {
        try await Sandbox.with { box in
            try write(
                box,
                task("a", "echo $PPID > first; cat \"$BGRUN_SECRET_token\" > copy", more: token),
                task(
                    "b",
                    "echo $PPID > second; env > variables; ls -l /proc/$PPID/fd > descriptors",
                    more: ", submit: manual"))
            let host = try await box.host("--stay", until: "Task completed")
            let before = host.errorLines.count
            #expect(try await box.run("submit", "org.test.b").code == 0)
            try await host.line("Task completed", after: before)
            #expect(await host.stop().code == 0)
            func file(_ name: String) throws -> String {
                try String(contentsOfFile: box.directory + "/" + name, encoding: .utf8)
            }
            #expect(try file("copy") == text)
            #expect(try file("first") == file("second"))
            #expect(try !file("variables").contains("BGRUN_SECRET"))
            #expect(try !file("descriptors").contains("bgrun-secret"))
        }
    }

    @Test("a secret that others may read refuses the attempt")
    func worldReadable() async throws {
        try await Sandbox.with { box in
            try write(box, task("a", "cat \"$BGRUN_SECRET_token\"", more: token), mode: 0o644)
            try await box.run("run", "--once")
            let attempt = try await box.attempt("org.test.a")
            #expect(attempt.outcome == "refused")
            #expect(
                attempt.message?.hasPrefix("secrets.token: others may use") == true
                    && attempt.message?.contains("chmod 600") == true, "\(attempt)")
            let lint = try await box.run(["lint", box.manifest])
            #expect(lint.code != 0 && (lint.output + lint.error).contains("not-private"))
        }
    }

    @Test("a credential of the host's service is read from its directory")
    func credential() async throws {
        try await Sandbox.with { box in
            try write(
                box,
                task(
                    "a", "cat \"$BGRUN_SECRET_token\" > copy",
                    more: ", secrets: {token: {credential: token}}"))
            let arguments = ["run", "--once", "--manifest", box.manifest, "--state", box.state]
            #expect(
                try await box.run(arguments, ["CREDENTIALS_DIRECTORY": box.directory]).code == 0)
            #expect(try String(contentsOfFile: box.directory + "/copy", encoding: .utf8) == text)
        }
    }

    @Test("a command has the variables of a file; `environment` has precedence")
    func variables() async throws {
        try await Sandbox.with { box in
            try "# both\nA='one two'\nB=$A\n".write(
                toFile: box.directory + "/app.env", atomically: true, encoding: .utf8)
            try write(
                box,
                task(
                    "a", "echo \"$A|$B|$C\" > result",
                    more: ", env_file: ./app.env, environment: {C: 3, B: 2}"))
            #expect(try await box.run("run", "--once").code == 0)
            #expect(
                try String(contentsOfFile: box.directory + "/result", encoding: .utf8)
                    == "one two|2|3\n")
        }
    }
}
