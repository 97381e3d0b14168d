// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

@Suite("bgrun verify and init", .timeLimit(.minutes(5)))
struct VerifyTests {
    private struct Report: Decodable {
        struct Task: Decodable {
            struct Item: Decodable {
                var id: String
                var verdict: String
                var message: String?
            }
            var identifier: String
            var items: [Item]
        }
        var passed: Bool
        var tasks: [Task]

        func verdicts(of task: String) -> [String: String] {
            let items = tasks.first { $0.identifier == task }?.items ?? []
            return Dictionary(items.map { ($0.id, $0.verdict) }, uniquingKeysWith: { $1 })
        }
    }

    /// Runs `bgrun verify` with `--json`.
    private static func verify(
        _ box: Sandbox, _ words: String..., timeout: String = "3m"
    ) async throws -> (Report, code: Int32, error: String) {
        let about = [
            "verify", "-m", box.manifest, "--state", box.state, "--json", "--timeout", timeout,
        ]
        let run = try await box.start(about + words).end()
        let report = try JSONDecoder().decode(Report.self, from: Data(run.output.utf8))
        return (report, run.code, run.error)
    }

    @Test("every item of a correct app passes")
    func passes() async throws {
        try await Sandbox.withPlugin(
            "exec", device: "{power: external, network: unmetered}",
            tasks: """
                org.test.refresh:
                  {kind: app-refresh, handler: exec.run, parameters: {command: sleep 1}, every: 15m}
                org.test.clean:
                  {kind: processing, handler: exec.run, parameters: {command: sleep 1}, every: 1d}
                org.test.yearly:
                  {kind: processing, handler: exec.run, parameters: {command: sleep 1}, cron: "0 3 29 2 *"}
                """
        ) { box in
            #expect(try await box.run("run", "--once").code == 0)
            let (report, code, error) = try await Self.verify(box)
            #expect(code == 0, "\(error)")
            #expect(report.passed)
            let items = [
                "launches", "completes", "log-order", "expires", "next", "force-quit",
                "refresh-off", "low-power-mode", "real-device",
            ]
            let refresh = report.verdicts(of: "org.test.refresh")
            #expect(refresh == Dictionary(uniqueKeysWithValues: items.map { ($0, "passed") }))
            var clean = report.verdicts(of: "org.test.clean")
            // Processing needs power, so that Low Power Mode does not matter.
            #expect(clean.removeValue(forKey: "low-power-mode") == "skipped")
            #expect(Set(clean.values) == ["passed"], "\(clean)")
            // Its date is too far in the future: verify submits it.
            let yearly = report.verdicts(of: "org.test.yearly")
            #expect(yearly["launches"] == "passed" && yearly["completes"] == "passed", "\(yearly)")
            // The state of the app is unchanged.
            #expect(try await box.history().count == 2)
        }
    }

    @Test("a fault of a task fails its item, which gives advice")
    func fails() async throws {
        _ = try Built.plugin("exec")
        let hello = try Built.plugin("hello-c")
        try await Sandbox.with { box in
            try box.write(
                plugins: ["exec": "exec", "hello": hello],
                tasks: """
                    org.test.fails:
                      {kind: processing, handler: exec.run, parameters: {command: "false"}, every: 1d}
                    org.test.once: {kind: processing, handler: hello.greet}
                    org.test.absent: {kind: processing, handler: hello.absent, every: 1d}
                    """)
            let (report, code, _) = try await Self.verify(box)
            #expect(code == 1)
            #expect(!report.passed)
            #expect(report.verdicts(of: "org.test.fails")["completes"] == "failed")
            #expect(report.verdicts(of: "org.test.fails")["log-order"] == "skipped")
            #expect(report.verdicts(of: "org.test.fails")["next"] == "passed")
            let once = report.verdicts(of: "org.test.once")
            #expect(once["completes"] == "passed" && once["next"] == "failed", "\(once)")
            #expect(once["real-device"] == "warned")
            let absent = report.verdicts(of: "org.test.absent")
            #expect(absent["completes"] == "failed" && absent["log-order"] != "passed", "\(absent)")

            let text = try await box.run(
                ["verify", "-m", box.manifest, "--state", box.state, "org.test.once"])
            #expect(text.code == 1)
            #expect(text.output.contains("failed  next: the next run is requested"))
            #expect(text.output.contains("add `every`, or have the handler submit"))
            #expect(text.output.contains("write `submit: manual` if"), "\(text.output)")
            #expect(text.output.contains("run it here: `bgrun run -m \(box.manifest)`"))
            #expect(!text.output.contains("org.test.fails"))
            let command = try await box.run(
                ["verify", "-m", box.manifest, "--state", box.state, "org.test.fails"])
            #expect(command.output.contains("the command must exit with status 0"))
        }
    }

    @Test("a handler that crashes in a trial of its expiration fails")
    func diesInTrial() async throws {
        // A trial has another home than a run.
        let command = "case $BGRUN_APP_HOME in */bgrun-home-*) kill -KILL $PPID; sleep 9;; esac"
        try await Sandbox.withPlugin(
            "exec",
            tasks: """
                org.test.dies: {kind: processing, handler: exec.run, every: 1d,
                  parameters: {command: '\(command)'}}
                """
        ) { box in
            let (report, code, error) = try await Self.verify(box)
            let verdicts = report.verdicts(of: "org.test.dies")
            #expect(verdicts["completes"] == "passed", "\(verdicts) \(error)")
            #expect(verdicts["expires"] == "failed")
            let item = report.tasks.first?.items.first { $0.id == "expires" }
            #expect(item?.message?.contains("died of signal 9") == true, "\(report)")
            #expect(code == 1 && !report.passed)
        }
    }

    @Test("a task with `submit: manual` is submitted, and need not request its next run")
    func manual() async throws {
        try await Sandbox.withPlugin(
            "hello-c",
            tasks: """
                org.test.manual: {kind: processing, handler: hello.greet, submit: manual}
                org.test.other: {kind: app-refresh, handler: hello.greet, submit: manual}
                """
        ) { box in
            let (report, code, error) = try await Self.verify(box)
            #expect(code == 0, "\(report) \(error)")
            #expect(report.passed && report.tasks.count == 2)
            for task in report.tasks {
                let verdicts = report.verdicts(of: task.identifier)
                #expect(verdicts["launches"] == "passed" && verdicts["log-order"] == "passed")
                #expect(verdicts["next"] == "skipped", "\(verdicts)")
                let message = task.items.first { $0.id == "next" }?.message
                #expect(message == "the manifest says `submit: manual`")
            }
        }
    }

    @Test("a task of a transfer, which the scenario does not launch, does not prolong the run")
    func transferTask() async throws {
        let exec = try Built.plugin("exec")
        try await Sandbox.with { box in
            // The run ends while the second attempt waits, and the third one is the one that is ended early; three
            // days would have more.
            let runs = box.directory + "/runs"
            let command =
                "echo run >> \(runs); case $(wc -l < \(runs)) in [2-4]) exec sleep 999;; esac"
            try box.write(
                plugins: ["exec": exec],
                tasks: """
                    org.test.refresh: {kind: app-refresh, handler: exec.run, every: 15m,
                      parameters: {command: '\(command)'}}
                    org.test.session: {kind: transfer, handler: exec.run, submit: manual,
                      parameters: {command: "true"}}
                    """)
            // The attempts that are ended early wait, too.
            let (report, _, error) = try await Self.verify(box, timeout: "1s")
            #expect(report.verdicts(of: "org.test.refresh")["launches"] == "passed", "\(error)")
            #expect(report.verdicts(of: "org.test.session")["launches"] == "skipped")
            let count = try String(contentsOfFile: runs, encoding: .utf8).split(separator: "\n")
                .count
            #expect((1...3).contains(count), "\(count)")
        }
    }

    @Test("SIGTERM ends the run with the handlers it started, and leaves no files")
    func interrupted() async throws {
        try await Sandbox.withPlugin(
            "exec",
            tasks: """
                org.test.long:
                  {kind: processing, handler: exec.run, parameters: {command: sleep 999}}
                """
        ) { box in
            let files = box.directory + "/files"
            try FileManager.default.createDirectory(
                atPath: files, withIntermediateDirectories: false)
            let verify = try box.startShell(
                "TMPDIR=\(files) exec $BGRUN verify --manifest \(box.manifest)")
            let hasBegun = await eventually {
                box.processes.contains { $0.command.contains("sleep 999") }
            }
            #expect(hasBegun)
            #expect(await verify.stop().code == 128 + SIGTERM)
            #expect(await eventually { box.processes.isEmpty })
            #expect(try FileManager.default.contentsOfDirectory(atPath: files) == [])
        }
    }

    @Test("SIGTERM while a task is ended early kills its worker and leaves no files")
    func interruptedTrial() async throws {
        // A trial has another home than a run.
        let command = "case $BGRUN_APP_HOME in */bgrun-home-*) exec sleep 999;; esac"
        try await Sandbox.withPlugin(
            "exec",
            tasks: """
                org.test.slow: {kind: processing, handler: exec.run, every: 1d,
                  parameters: {command: '\(command)'}}
                """
        ) { box in
            let files = box.directory + "/files"
            try FileManager.default.createDirectory(
                atPath: files, withIntermediateDirectories: false)
            let verify = try box.startShell(
                "TMPDIR=\(files) exec $BGRUN verify $OPTIONS --timeout 3m")
            try await verify.line("ending org.test.slow early")
            let hasBegun = await eventually {
                box.processes.contains { $0.command.contains("sleep 999") }
            }
            #expect(hasBegun)
            #expect(await verify.stop().code == 128 + SIGTERM)
            #expect(await eventually { box.processes.isEmpty })
            #expect(try FileManager.default.contentsOfDirectory(atPath: files) == [])
        }
    }

    @Test("an unknown task exits with 65 and the nearest one")
    func unknown() async throws {
        try await Sandbox.withPlugin(
            "hello-c", tasks: "org.test.who: {kind: processing, handler: hello.greet}"
        ) { box in
            let run = try await box.start(["verify", "-m", box.manifest, "org.test.Who"]).end()
            #expect(run.code == 65)
            #expect(run.error.contains("did you mean \"org.test.who\"?"), "\(run.error)")
        }
    }

    @Test("a manifest without tasks exits with 65 and a message")
    func noTasks() async throws {
        try await Sandbox.with { box in
            try box.write(tasks: "{}")
            let run = try await box.start(["verify", "-m", box.manifest]).end()
            #expect(run.code == 65)
            #expect(run.error.contains("declares no tasks"), "\(run.error)")
        }
    }

    @Test("init writes at most 20 lines, which run", arguments: ["app-refresh", "processing"])
    func initialises(_ kind: String) async throws {
        _ = try Built.plugin("exec")
        try await Sandbox.with { box in
            let made = try await box.run(
                ["init", box.manifest, "--app", "org.test.app", "--kind", kind])
            #expect(made.code == 0, "\(made.error)")
            let lines = try String(contentsOfFile: box.manifest, encoding: .utf8)
                .split(separator: "\n")
            #expect(lines.count <= 20)
            let lint = try await box.start(["lint", box.manifest]).end()
            #expect(lint.code == 0 && lint.error.isEmpty, "\(lint.error)")
            // The same manifest on a machine in use, on battery.
            let manifest = try FileHandle(forWritingTo: URL(filePath: box.manifest))
            try manifest.seekToEnd()
            try manifest.write(contentsOf: Data("device: {idle: false, power: battery}\n".utf8))
            let run = try await box.run("run", "--once")
            #expect(run.code == 0, "\(run.error)")
            #expect(run.error.contains("replace this command"))
            // An existing file is not overwritten.
            let again = try await box.start(["init", box.manifest]).end()
            #expect(again.code == 74)
            #expect(again.error.hasSuffix("is not overwritten; give another name\n"))
        }
    }
}
