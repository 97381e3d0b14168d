// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

@Suite("A manifest that is changed while its host runs", .timeLimit(.minutes(5)))
struct ReloadTests {

    private func task(_ script: String, more: String = "") -> String {
        "org.test.a: {kind: processing, handler: sh.run, "
            + "parameters: {command: \"\(script)\"}\(more)}"
    }

    @Test("applies at once, and new tasks run")
    func added() async throws {
        try await Sandbox.with { box in
            try box.write(plugins: ["sh": try Built.plugin("exec")], tasks: task("echo first"))
            let host = try box.start("run", "--stay")
            try await host.line("Task completed with identifier org.test.a")
            try box.write(
                plugins: ["sh": try Built.plugin("exec")],
                tasks: task("echo first") + "\n"
                    + "org.test.b: {kind: processing, handler: sh.run, "
                    + "parameters: {command: \"echo second\"}}")
            try await host.line("The changed manifest is in effect")
            try await host.line("Task completed with identifier org.test.b")
            // Written in place with only a comment changed: nothing happens.
            let text = try String(contentsOfFile: box.manifest, encoding: .utf8)
            try ("# a comment\n" + text).write(
                toFile: box.manifest, atomically: false, encoding: .utf8)
            #expect(try await box.run("submit", "org.test.a").code == 0)
            try await host.line("Task completed with identifier org.test.a")
            let finished = await host.stop()
            #expect(finished.code == 0)
            #expect(finished.error.components(separatedBy: "is in effect").count == 2)
            #expect(try await box.run("replay").code == 0)
        }
    }

    @Test("a worker that began under the old one is not kept for attempts under the new one")
    func oldWorker() async throws {
        let gateTask = "org.test.gate: {kind: processing, handler: probe.gate}"
        try await Sandbox.withProbe(gateTask) { box in
            let gate = try box.gate("gate")
            let host = try await box.host("--stay", until: "at the gate")
            try box.write(
                plugins: ["probe": try await Built.probe.value],
                rest: "policy: {profile: server}",
                tasks: gateTask
                    + "\norg.test.who: {kind: processing, handler: probe.who, submit: manual}")
            try await host.line("The changed manifest is in effect")
            gate.open()
            try await host.line("Task completed with identifier org.test.gate")
            #expect(await eventually { box.workers.isEmpty })
            #expect(await host.stop().code == 0)
        }
    }

    @Test("its warnings are printed once, and again when it is changed")
    func warnings() async throws {
        try await Sandbox.with { box in
            try box.write(plugins: ["sh": try Built.plugin("exec")], tasks: task("echo one"))
            let host = try await box.host("--stay", until: "Task completed")
            try box.write(plugins: ["sh": try Built.plugin("exec")], tasks: task("echo two"))
            try await host.line("The changed manifest is in effect")
            host.signal(SIGTERM)
            let warning = "4:25: warning: `org.test.*` does not begin with the app's identifier"
            #expect(await host.end().error.components(separatedBy: warning).count == 3)
        }
    }

    @Test("expires an attempt whose action changes, and runs it again with the new action")
    func stopped() async throws {
        try await Sandbox.with { box in
            let gate = try box.gate("gate")
            try box.write(
                plugins: ["sh": try Built.plugin("exec")],
                tasks: task("read x < \(gate.path)", more: ", expiration: {grace: 0s}"))
            let host = try await box.host("--stay", until: "Starting task")
            try box.write(plugins: ["sh": try Built.plugin("exec")], tasks: task("echo instead"))
            try await host.line("Expiring task with identifier org.test.a: manifest-changed")
            try await host.line("The changed manifest is in effect")
            try await host.line("instead")
            try await host.line("Task completed")
            await host.stop()
            #expect(try await box.history("org.test.a").map(\.outcome) == ["expired", "completed"])
            #expect(try await box.run("replay").code == 0)
        }
    }

    @Test("lets an attempt continue whose action stays the same")
    func continues() async throws {
        try await Sandbox.with { box in
            let gate = try box.gate("gate")
            try box.write(
                plugins: ["sh": try Built.plugin("exec")], tasks: task("read x < \(gate.path)"))
            let host = try await box.host("--stay", until: "Starting task")
            try box.write(
                plugins: ["sh": try Built.plugin("exec")],
                tasks: task("read x < \(gate.path)", more: ", every: 1d"))
            try await host.line("The changed manifest is in effect")
            gate.open()
            try await host.line("Task completed")
            #expect(try await box.pending().pending.map(\.identifier) == ["org.test.a"])
            await host.stop()
        }
    }

    @Test("is shown with the place of its error and ignored if it is invalid")
    func bad() async throws {
        try await Sandbox.with { box in
            try box.write(plugins: ["sh": try Built.plugin("exec")], tasks: task("echo first"))
            let host = try await box.host("--stay", until: "Task completed")
            let good = try box.changeManifest("kind: processing", to: "kind: procesing")
            try await host.line("The changed manifest is not in effect: \(box.manifest):")
            try good.replacingOccurrences(of: "app: org.test.app", with: "app: org.test.other")
                .write(toFile: box.manifest, atomically: true, encoding: .utf8)
            try await host.line("this host runs org.test.app")
            try good.write(toFile: box.manifest, atomically: true, encoding: .utf8)
            #expect(try await box.run("submit", "org.test.a").code == 0)
            try await host.line("Task completed")
            #expect(await host.stop().code == 0)
        }
    }

    @Test("does not hide the host, which uses the previous one, if it is invalid or missing")
    func reached() async throws {
        try await Sandbox.with { box in
            try box.write(
                plugins: ["sh": try Built.plugin("exec")],
                tasks: task("echo first", more: ", every: 1d"))
            let host = try await box.host("--stay", until: "Task completed")
            try box.changeManifest("app: ", to: "app ")
            try await host.line("The changed manifest is not in effect")
            for command in ["explain", "trigger"] {
                let answer = try await box.run(command, "org.test.a")
                #expect(answer.code == 0, "\(answer.error)")
                #expect(answer.error.contains("app.yaml:2"))
                #expect(answer.error.contains("and this command use the previous manifest"))
            }
            try FileManager.default.removeItem(atPath: box.manifest)
            #expect(try await box.pending().pending.map(\.identifier) == ["org.test.a"])
            #expect(try await box.run("cancel", "org.test.a").code == 0)
            #expect(await host.stop().code == 0)
            // Without a host the invalid manifest does not name the app.
            #expect(try await box.run("pending").code == 66)
            let app = ["--app", "org.test.app", "--state", box.state]
            let missing = try await box.start(["pending"] + app).end()
            #expect(missing.code == 66 && missing.error.contains("ran last with that manifest"))
        }
    }

    @Test("is found by the name of its app, with and without a host")
    func named() async throws {
        try await Sandbox.with { box in
            func ask(_ command: String, _ app: String = "org.test.app") async throws -> Finished {
                try await box.start([command, "--app", app, "--state", box.state]).end()
            }
            try box.write(
                plugins: ["sh": try Built.plugin("exec")],
                tasks: task("echo first", more: ", every: 1d"))
            #expect(try await ask("pending").code == 66)
            let host = try await box.host("--stay", until: "Task completed")
            #expect(try await ask("pending").output.contains("org.test.a"))
            #expect(try await ask("history").output.contains("exit status 0"))
            await host.stop()
            #expect(try await ask("pending").output.contains("org.test.a"))
            #expect(try await ask("history").output.contains("exit status 0"))
            let unknown = try await ask("pending", "org.test.apps")
            #expect(unknown.code == 66)
            #expect(unknown.error.contains("no app org.test.apps has been run here"))
            #expect(try await box.start(["pending"]).end().code == 64)
        }
    }
}
