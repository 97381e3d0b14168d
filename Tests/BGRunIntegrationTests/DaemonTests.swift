// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

@Suite("The daemon", .timeLimit(.minutes(5)))
struct DaemonTests {
    private func pid(in line: String) throws -> pid_t {
        try #require(line.number(after: "process "))
    }

    @Test("hosts each manifest of its directory until the manifest is removed")
    func hosts() async throws {
        try await Sandbox.with { box in
            try box.writeApp("one", "echo one")
            let daemon = try await box.daemon()
            try box.writeApp("two", "echo two")
            try await daemon.line("Hosting two.yaml")
            try await daemon.line("Task completed with identifier org.test.two.run")
            let state = box.state + "/org.test.two"
            try FileManager.default.removeItem(atPath: box.directory + "/apps/two.yaml")
            #expect(
                await eventually {
                    !FileManager.default.fileExists(atPath: state + "/control.sock")
                })
            #expect(await daemon.stop().code == 0)
            #expect(box.processes.isEmpty)
        }
    }

    @Test(
        "names the app in each line of a host, as text, JSON and with priorities",
        arguments: [[], ["--json"], ["--priorities"]])
    func names(_ options: [String]) async throws {
        try await Sandbox.with { box in
            try box.writeApp("one", "echo said")
            let daemon = try box.start(
                ["daemon", "--manifests", box.apps, "--state", box.state] + options)
            let said = try await daemon.line("said")
            let ended = try await daemon.line("Task completed")
            let app = options == ["--json"] ? #""app":"org.test.one""# : "org.test.one: "
            #expect(said.contains(app) && ended.contains(app), "\(said) \(ended)")
            #expect(said.contains("org.test.one.run"))
            #expect(await daemon.stop().code == 0)
        }
    }

    @Test("shares its slots between apps: with one slot their attempts take turns")
    func share() async throws {
        try await Sandbox.with { box in
            let gate = try box.gate("gate")
            try box.writeApp("one", "read x < \(gate.path)")
            try box.writeApp("two", "read x < \(gate.path)")
            let daemon = try box.startDaemon("--attempts", "1")
            let first = try await daemon.line("Starting task")
            let waiting = first.contains("org.test.one") ? "two" : "one"
            let asked = [
                "explain", "--manifest", "\(box.apps)/\(waiting).yaml", "--state",
                box.state, "org.test.\(waiting).run",
            ]
            while true {
                let answer = try await box.start(asked).end().output
                if answer.contains("waiting for the daemon to grant a slot") { break }
            }
            gate.open()
            try await daemon.line("Task completed")
            try await daemon.line("Starting task with identifier org.test.\(waiting).run")
            gate.open()
            try await daemon.line("Task completed")
            let end = await daemon.stop()
            #expect(
                end.code == 0 && end.error.contains("Told to end") && end.error.contains("Ended"))
        }
    }

    @Test("gives the slots of a killed host to the other apps")
    func slotsOfTheGone() async throws {
        try await Sandbox.with { box in
            let gate = try box.gate("gate")
            try box.writeApp("one", "trap '' TERM; echo up; read x < \(gate.path)")
            let daemon = try box.startDaemon("--attempts", "1")
            let host = try pid(in: try await daemon.line("Hosting one.yaml"))
            try await daemon.line("] up")
            try box.writeApp("two", "echo two")
            try await daemon.line("Hosting two.yaml")
            try FileManager.default.removeItem(atPath: box.directory + "/apps/one.yaml")
            try await daemon.line("one.yaml is gone: its host ends")
            // A killed host cannot report that nothing runs any more.
            kill(host, SIGKILL)
            let end = "Task completed with identifier org.test.two.run"
            try #require(await eventually { daemon.errorLines.contains { $0.contains(end) } })
            #expect(await daemon.stop().code == 0)
        }
    }

    @Test("ignores an invalid manifest until it changes, and the other apps continue")
    func bad() async throws {
        try await Sandbox.with { box in
            try box.writeApp("one", "echo one")
            try box.writeApp("bad", "echo mended", more: ", evry: 1d")
            let daemon = try await box.daemon(until: "bad.yaml is left aside until it is changed")
            let server = try box.start([
                "dashboard", "--state", box.state, "--listen", "127.0.0.1:0",
            ])
            let line = try await server.line("the dashboard is at http://127.0.0.1:")
            let site = Site(
                port: try #require(UInt16(line.split(separator: ":").last?.dropLast() ?? "")))
            // The daemon logs this before it writes the status that the dashboard reads.
            while try await site.get("/healthz").status != 503 {}
            let health = try await site.get("/healthz").body
            #expect(
                health.contains("a task has no key `evry`"), "\(health)")
            #expect(try await site.get("/").body.contains("bad.yaml is left aside"))
            // The metrics of the other apps are complete.
            let metrics = try await box.start(["metrics", "--state", box.state]).end()
            #expect(metrics.code == 0, "\(metrics.error)")
            try box.writeApp("bad", "echo mended")
            try await daemon.line("Task completed with identifier org.test.bad.run")
            while try await site.get("/healthz").status != 200 {}
            #expect(await server.stop().code == 0)
            #expect(await daemon.stop().code == 0)
        }
    }

    @Test("ignores a manifest that other users can change, until they cannot")
    func untrusted() async throws {
        try await Sandbox.with { box in
            try box.writeApp("one", "echo one")
            let path = box.directory + "/apps/one.yaml"
            chmod(path, 0o666)
            let daemon = try box.startDaemon()
            try await daemon.line("mode: expected a file only its owner can write, found mode 0666")
            try await daemon.line("one.yaml is left aside")
            chmod(path, 0o644)
            try await daemon.line("Task completed with identifier org.test.one.run")
            #expect(await daemon.stop().code == 0)
        }
    }

    @Test("hosts the new app of a manifest whose app changes")
    func renamed() async throws {
        try await Sandbox.with { box in
            try box.writeApp("one", "echo one")
            let daemon = try await box.daemon()
            let path = box.directory + "/apps/one.yaml"
            try String(contentsOfFile: path, encoding: .utf8)
                .replacingOccurrences(of: "org.test.one", with: "org.test.two")
                .write(toFile: path, atomically: true, encoding: .utf8)
            try await daemon.line("Task completed with identifier org.test.two.run")
            #expect(await daemon.stop().code == 0)
        }
    }

    @Test("restarts a killed host, which recovers its attempts")
    func killed() async throws {
        try await Sandbox.with { box in
            let gate = try box.gate("gate")
            try box.writeApp("one", "read x < \(gate.path)")
            let daemon = try box.startDaemon()
            let host = try pid(in: try await daemon.line("Hosting one.yaml"))
            try await daemon.line("Starting task")
            kill(host, SIGKILL)
            try await daemon.line("killed by signal 9")
            // An attempt of the killed host can read from the gate until the next host ends it.
            let killed = daemon.errorLines.firstIndex { $0.contains("killed by signal 9") }
            try await daemon.line("Hosting one.yaml", after: try #require(killed))
            try await daemon.line("Starting task", after: try #require(killed))
            gate.open()
            try await daemon.line("Task completed")
            #expect(await daemon.stop().code == 0)
        }
    }

    @Test("continues a host that was stopped, which runs the tasks that are submitted afterwards")
    func stopped() async throws {
        try await Sandbox.with { box in
            try box.writeApp("one", "echo one")
            let daemon = try box.startDaemon()
            let host = try pid(in: try await daemon.line("Hosting one.yaml"))
            try await daemon.line("Task completed with identifier org.test.one.run")
            kill(host, SIGSTOP)
            try await daemon.line(
                "the host of one.yaml (process \(host)) was stopped: it is continued")
            let answer = try await box.start([
                "submit", "--manifest", box.directory + "/apps/one.yaml", "--state", box.state,
                "org.test.one.run",
            ]).end()
            #expect(answer.code == 0, "\(answer.error)")
            try await daemon.line("Task completed with identifier org.test.one.run")
            #expect(await daemon.stop().code == 0)
        }
    }

    @Test("continues a host that was stopped by its own handler, and ends at the first signal")
    func stoppedByHandler() async throws {
        let plugin = try await Built.hostile.value
        try await Sandbox.with { box in
            try box.writeApp("one", "true", plugin: plugin, handler: "stops_host")
            let daemon = try box.startDaemon()
            let host = try pid(in: try await daemon.line("Hosting one.yaml"))
            try await daemon.line(
                "the host of one.yaml (process \(host)) was stopped: it is continued")
            try await daemon.line("Task completed with identifier org.test.one.run")
            #expect(await daemon.stop().code == 0)
            #expect(box.processes.isEmpty)
        }
    }

    @Test("ends its hosts at the first signal, and kills them at the second")
    func toldTwice() async throws {
        try await Sandbox.with { box in
            let gate = try box.gate("gate")
            try box.writeApp("one", "trap '' TERM; echo up; read x < \(gate.path)")
            let daemon = try await box.daemon(until: "] up")
            daemon.signal(SIGTERM)
            try await daemon.line("Expiring task with identifier org.test.one.run: shutdown")
            #expect(await daemon.stop().code == 0)
            #expect(box.processes.isEmpty)
        }
    }

    @Test("ends with its hosts when it is killed: they end their attempts as at a shutdown")
    func daemonKilled() async throws {
        try await Sandbox.with { box in
            let gate = try box.gate("gate")
            try box.writeApp("one", "read x < \(gate.path)", more: ", expiration: {grace: 0s}")
            let daemon = try await box.daemon(until: "Starting task")
            daemon.signal(SIGKILL)
            #expect(await eventually { box.processes.isEmpty })
            let history = try await box.start([
                "history", "--manifest", box.directory + "/apps/one.yaml", "--state", box.state,
                "--json",
            ]).end()
            #expect(try Sandbox.attempts(history.output).map(\.outcome) == ["expired"])
        }
    }

    @Test("exits with 66 if its directory is missing")
    func missing() async throws {
        try await Sandbox.with { box in
            let finished = try await box.startDaemon().end()
            #expect(finished.code == 66)
            #expect(finished.error.contains("/apps is not there; make it, or give another"))
        }
    }

    @Test("hosts one of two manifests of an app, and reports why it ignores the other")
    func twins() async throws {
        try await Sandbox.with { box in
            try box.writeApp("one", "echo one")
            try FileManager.default.copyItem(
                atPath: box.directory + "/apps/one.yaml", toPath: box.directory + "/apps/two.yaml")
            let daemon = try box.startDaemon()
            try await daemon.line(
                "two.yaml is left aside: its app is org.test.one, which one.yaml is hosted as")
            try FileManager.default.removeItem(atPath: box.directory + "/apps/one.yaml")
            try await daemon.line("Hosting two.yaml")
            #expect(await daemon.stop().code == 0)
        }
    }

    @Test("is the only one with its state directory: a second one exits with 75")
    func second() async throws {
        try await Sandbox.with { box in
            try box.writeApp("one", "echo one")
            let daemon = try await box.daemon()
            let second = try await box.startDaemon().end()
            #expect(second.code == 75)
            #expect(second.error.contains("already, process \(daemon.pid); end it"))
            await daemon.stop(SIGKILL)
            let next = try await box.daemon(until: "Hosting one.yaml")
            #expect(await next.stop().code == 0)
        }
    }

    private struct HostedApp: Decodable {
        var app: String?
        var state: String
        var process: Int32?
        var reason: String?

        /// What `bgrun apps` lists, once it contains `text`.
        static func list(_ box: Sandbox, contains text: String) async throws -> String {
            while true {
                let apps = try await box.start(["apps", "--state", box.state]).end().output
                if apps.contains(text) { return apps }
            }
        }
    }

    @Test("a changed manifest that others can change is not in effect, as log and commands report")
    func untrustedChange() async throws {
        try await Sandbox.with { box in
            try box.writeApp("one", "echo one")
            let path = box.directory + "/apps/one.yaml"
            let daemon = try await box.daemon()
            chmod(path, 0o666)
            let reason = "the changed manifest is not in effect: others could change it: mode: "
            let apps = try await HostedApp.list(box, contains: "hosted: \(reason)")
            #expect(apps.contains("found mode 0666"), "\(apps)")
            try await daemon.line("The changed manifest is not in effect: \(path): others could")
            // In place: the file keeps its mode.
            let text = try String(contentsOfFile: path, encoding: .utf8)
            try (text + ", description: new}").replacing("}, description", with: ", description")
                .write(toFile: path, atomically: false, encoding: .utf8)
            for command in [["pending"], ["explain", "org.test.one.run"], ["doctor"]] {
                let answer = try await box.run(
                    command + ["--manifest", path, "--state", box.state])
                let all = answer.output + answer.error
                #expect(all.contains("others could change it: mode: "), "\(command): \(all)")
                #expect(command == ["doctor"] || all.contains("use the previous manifest"))
                #expect(!all.contains("new"), "\(all)")
            }
            chmod(path, 0o644)
            try await daemon.line("The changed manifest is in effect")
            _ = try await HostedApp.list(box, contains: "hosted  ")
            #expect(await daemon.stop().code == 0)
        }
    }

    @Test("lists its apps for `bgrun apps`, which exits with 69 if no daemon runs")
    func apps() async throws {
        try await Sandbox.with { box in
            try box.writeApp("bad", "echo", more: ", evry: 1d")
            try box.writeApp("one", "echo one")
            let daemon = try box.startDaemon()
            let host = try pid(in: try await daemon.line("Hosting one.yaml"))
            var apps: [HostedApp] = []
            while apps.last?.state != "hosted" {
                let answer = try await box.start(["apps", "--state", box.state, "--json"]).end()
                if answer.code == 0 {
                    apps = try JSONDecoder().decode(
                        [HostedApp].self, from: Data(answer.output.utf8))
                }
            }
            #expect(apps.map(\.state) == ["aside", "hosted"])
            #expect(apps.map(\.app) == [nil, "org.test.one"])
            #expect(apps.map(\.process) == [nil, host])
            #expect(apps[0].reason?.hasSuffix("a task has no key `evry`") == true)
            #expect(await daemon.stop().code == 0)
            let answer = try await box.start(["apps", "--state", box.state]).end()
            #expect(answer.code == 69)
            #expect(answer.error.contains("no daemon runs here"))
        }
    }
}
