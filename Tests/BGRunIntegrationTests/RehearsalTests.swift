// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

/// `run --device simulated`: real handlers, a scenario's device and clock.
@Suite("Real handlers on a simulated device", .timeLimit(.minutes(5)))
struct RehearsalTests {
    @Test("a backup waits for power, starts with it, loses it, resumes and completes")
    func story() async throws {
        try await Sandbox.with { box in
            let shipped = Built.package + "/manifests/scenarios/laptop-backup"
            for (name, path) in [("manifest", box.manifest), ("scenario", box.scenario)] {
                try FileManager.default.copyItem(atPath: "\(shipped)/\(name).yaml", toPath: path)
            }
            _ = try Built.plugin("sync-directory")
            let photos = URL(fileURLWithPath: box.directory + "/photos")
            try FileManager.default.createDirectory(at: photos, withIntermediateDirectories: true)
            for number in 1...9 {
                try Data(repeating: UInt8(number), count: 1 << 19)
                    .write(to: photos.appendingPathComponent("\(number).raw"))
            }
            let run = try await box.rehearse("--clock", "virtual=600")
            #expect(run.code == 1, "an attempt expired")
            let task = "task with identifier com.example.laptop.backup"
            let steps = [
                "08:30:00 Scheduling \(task)", "09:10:00 Device: on external power",
                "Starting \(task)", "Device: on battery",
                "Expiring \(task): power-lost", "again: its last attempt expired",
                "14:00:00 Device: on external power", "Starting \(task)", "Task completed",
            ]
            var rest = run.error[...]
            for step in steps {
                let found = try #require(rest.range(of: step), "\(step):\n\(run.error)")
                rest = rest[found.upperBound...]
            }
            let explain = try await box.run("explain", "com.example.laptop.backup").output
            for wait in [
                "2026-03-02 08:30:00  2026-03-02 09:10:10  1        waits for power: external  attempt 1",
                "2026-03-02 09:35:",
                "2026-03-02 14:00:10  1        waits for power: external  attempt 2",
            ] {
                #expect(explain.contains(wait), "\(explain)")
            }
            let events = try #require(explain.range(of: "LAST EVENTS"))
            var told = explain[events.upperBound...]
            for step in [
                "2026-03-02 09:10:10  Starting", ": power-lost", "again: its last attempt expired",
                "2026-03-02 14:00:10  Starting", "Task completed",
            ] {
                let found = try #require(told.range(of: step), "\(step):\n\(explain)")
                told = told[found.upperBound...]
            }
            // Every command shows the log's dates, regardless of this machine's zone.
            let ended = try #require(run.error.line("Task completed")).prefix(19)
            let table = try await box.run("history").output
            #expect(table.contains("\n2        \(ended)  com.example"), "\(table)")
            #expect(explain.contains("ended at \(ended)"), "\(explain)")
            let history = try await box.history()
            #expect(history.map(\.outcome) == ["expired", "completed"])
            #expect(history[0].detail == "expired (power-lost), reported no success")
            let copied = try #require(history[0].message?.number(after: "stopped after "))
            #expect(copied > 0)
            #expect(
                run.error.contains("(\(copied)/4718592)"), "it continues from there: \(run.error)")
            #expect(
                FileManager.default.contentsEqual(
                    atPath: photos.path, andPath: box.directory + "/backup"))
        }
    }

    private static let periodic = """
        org.test.often: {kind: app-refresh, handler: probe.who, every: 20m}
        org.test.power:
          kind: processing
          handler: probe.who
          every: 2h
          requires: {power: external}
        org.test.idle: {kind: processing, handler: probe.who, every: 1d, requires: {idle: true}}
        org.test.asked: {kind: processing, handler: probe.who, submit: manual}
        org.test.strange: {kind: processing, handler: probe.who, submit: manual}
        """

    private static let day = """
        duration: 1d
        jitter: 5m
        device:
          power: [{at: 5h10m, for: 3h}, {at: 14h, for: 5h}]
          network: unmetered
          idle: [{at: 8h, for: 1h}]
        suspend: [{at: 10h, for: 2h30m}]
        events:
          - {every: 3h, submit: org.test.asked}
          - {at: 13h, trigger: org.test.idle}
          - {at: 15h, app: force-quit}
          - {at: 16h, app: open}
          - {at: 17h, clock: {forward: 2h}}
          - {at: 20h, submit: org.test.asked, delay: 1h}
          - {at: 20h30m, cancel: org.test.asked}
        handlers: {"*": {takes: 5ms}}
        """

    @Test("a day takes moments, and has as many launches as the simulation of the policy")
    func day() async throws {
        try await Sandbox.withProbe(Self.periodic) { box in
            try box.write(scenario: Self.day)
            let simulated = try Report(
                try await box.run(
                    ["simulate", "-m", box.manifest, "-s", box.scenario, "--json"]).output)
            let run = try await box.rehearse("--json")
            let real = try Report(run.output)
            #expect(run.code == 0, "\(run.error)")
            #expect(real.seed == 1)
            #expect(real.faults == [])
            for (task, expected) in zip(real.tasks, simulated.tasks) {
                #expect(task == expected)
            }
            #expect(real.tasks.count == 5)
            let launches = real.tasks.reduce(0) { $0 + $1.launches }
            #expect(launches > 70)
            let history = try await box.run("history", "--limit", "1000", "--json").output
            #expect(try Sandbox.attempts(history).count == launches, "each was a real attempt")
        }
    }

    @Test("the same seed gives the same decisions, another seed others")
    func seeds() async throws {
        try await Sandbox.withProbe(Self.periodic) { box in
            try box.write(scenario: Self.day)
            var decisions: [[String]] = []
            for seed in ["4", "4", "5"] {
                let run = try await box.run(
                    [
                        "run", "-m", box.manifest, "--device", "simulated", "-s", box.scenario,
                        "--seed", seed,
                    ])
                #expect(run.error.contains("with seed \(seed)"))
                // The duration of a handler varies by milliseconds; the policy decides on the minute.
                decisions.append(
                    run.error.split(separator: "\n").filter { $0.contains("Starting") }.map {
                        String($0.prefix(16) + $0.dropFirst(19))
                    })
            }
            #expect(decisions[0] == decisions[1])
            #expect(decisions[0] != decisions[2])
        }
    }

    @Test("a scaled clock continues while handlers run, and expires them at their limit")
    func scaled() async throws {
        try await Sandbox.withProbe(
            """
            org.test.wait:
              kind: processing
              handler: probe.wait
              expiration: {after: 1m, grace: 30s}
              retry: {attempts: 1}
            """
        ) { box in
            try box.write(scenario: "duration: 3m")
            let run = try await box.rehearse("--clock", "scaled=60")
            #expect(run.code == 1)
            let line = try #require(run.error.line("Expiring task with identifier org.test.wait"))
            #expect(line.timeOfDay >= "08:01:00" && line.hasSuffix(": time"), "\(line)")
            #expect(
                run.error.contains("told 1 (time), grace 500 ms"),
                "a handler is told in the machine's time: \(run.error)")
            let history = try await box.history()
            #expect(history.map(\.detail) == ["expired (time), reported no success"])
        }
    }

    @Test("a suspended device runs nothing; an attempt whose limit passes expires afterwards")
    func suspend() async throws {
        try await Sandbox.withProbe(
            """
            org.test.wait:
              kind: processing
              handler: probe.wait
              expiration: {after: 30m, grace: 5m}
              retry: {attempts: 1}
            org.test.often: {kind: app-refresh, handler: probe.who, every: 5m}
            """
        ) { box in
            try box.write(
                scenario: """
                    duration: 2h5m
                    suspend: [{at: 8m, for: 1h52m}]
                    """)
            let run = try await box.rehearse("--clock", "virtual=600")
            #expect(try #require(run.error.line("Device: suspended")).timeOfDay >= "08:08:00")
            #expect(try #require(run.error.line("Device: awake")).timeOfDay >= "10:00:00")
            let line = try #require(run.error.line("Expiring task with identifier org.test.wait"))
            #expect(line.timeOfDay >= "10:00:00" && line.hasSuffix(": suspend"), "\(line)")
            let starts = run.error.split(separator: "\n").map(String.init).filter {
                $0.contains("Starting task with identifier org.test.often")
            }.map(\.timeOfDay)
            #expect(starts.allSatisfy { $0 < "08:08:00" || $0 >= "10:00:00" }, "\(starts)")
            #expect(starts.contains { $0 >= "10:00:00" }, "\(starts)")
        }
    }

    @Test("a force-quit ends attempts, and nothing is launched until the app is opened")
    func forceQuit() async throws {
        try await Sandbox.withProbe(
            """
            org.test.wait: {kind: processing, handler: probe.wait, expiration: {grace: 5m}}
            org.test.often: {kind: app-refresh, handler: probe.who, every: 10m}
            """, rest: "policy: {profile: apple, grace_maximum: 5m, app_refresh_spacing: 0s}"
        ) { box in
            try box.write(
                scenario: """
                    duration: 2h
                    device: {network: unmetered}
                    events: [{at: 5m, app: force-quit}, {at: 1h, app: open}]
                    """)
            let run = try await box.rehearse("--clock", "virtual=600")
            let quiet = run.error.split(separator: "\n")
                .drop { !$0.contains("the app is force-quit") }.prefix { !$0.contains("is opened") }
            #expect(quiet.contains { $0.contains("Expiring") && $0.hasSuffix("cancelled") })
            #expect(!quiet.contains { $0.contains("Starting") }, "\(run.error)")
            #expect(run.error.contains(/is opened[^\0]*Starting/), "\(run.error)")
        }
    }

    @Test("an error in the scenario is shown with its place, and nothing is run")
    func badScenario() async throws {
        try await Sandbox.withProbe("org.test.who: {kind: processing, handler: probe.who}") { box in
            try box.write(scenario: "duration: 1d\ndevice:\n  powr: external")
            let run = try await box.rehearse()
            #expect(run.code == 65)
            #expect(run.error.contains("scenario.yaml:5:3: "), "\(run.error)")
            #expect(!run.error.contains("Starting"))
            #expect(!FileManager.default.fileExists(atPath: box.state))
            try FileManager.default.removeItem(atPath: box.scenario)
            #expect(try await box.rehearse().code == 66)
        }
    }

    @Test("SIGTERM expires attempts and ends the run before its scenario")
    func signal() async throws {
        try await Sandbox.withProbe("org.test.wait: {kind: processing, handler: probe.wait}") {
            box in
            try box.write(scenario: "duration: 7d")
            let host = try box.startRehearsal("--clock", "scaled=1")
            try await host.line("waiting in")
            let run = await host.stop()
            #expect(run.code == 0, "\(run.error)")
            #expect(run.error.contains("org.test.wait: shutdown"))
            #expect(run.output.contains("org.test.wait"), "the report comes all the same")
            await box.expectNothingLeft()
        }
    }

    @Test("a killed run with its own state directory loses nothing")
    func killed() async throws {
        try await Sandbox.withProbe(
            """
            org.test.gate: {kind: processing, handler: probe.gate}
            org.test.asked: {kind: app-refresh, handler: probe.who, submit: manual}
            """
        ) { box in
            let gate = try box.gate("gate")
            try box.write(
                scenario: """
                    duration: 1h
                    events: [{at: 1s, submit: org.test.asked, delay: 30m}]
                    """)
            let host = try box.startRehearsal("--clock", "scaled=10")
            try await host.line("at the gate")
            try await host.line("Scheduling task with identifier org.test.asked")
            await host.stop(SIGKILL)
            // The worker of the killed host also waits at the gate, until the next host ends it.
            let next = try box.startRehearsal()
            try await next.line("at the gate")
            gate.open()
            let again = await next.end()
            #expect(again.code == 0, "\(again.error)")
            let history = try await box.history()
            #expect(history.map(\.outcome).sorted() == ["completed", "completed", "interrupted"])
            #expect(again.output.contains("org.test.gate") && !again.output.contains("broken"))
        }
    }

    @Test("a run without --state leaves nothing, and does not touch the app's real state")
    func temporary() async throws {
        try await Sandbox.withProbe("org.test.who: {kind: processing, handler: probe.who}") { box in
            try box.write(scenario: "duration: 1h")
            let run = try await box.run(
                ["-m", box.manifest, "--device", "simulated", "-s", box.scenario])
            #expect(run.code == 0, "\(run.error)")
            let line = try #require(run.error.line("state in /"))
            let path = try #require(line.components(separatedBy: "state in ").last)
            #expect(path.hasSuffix("/org.test.app"))
            #expect(!FileManager.default.fileExists(atPath: path))
            #expect(!FileManager.default.fileExists(atPath: box.directory + "/.local"))
        }
    }

    @Test("real and simulated requests are never in the same state directory")
    func apart() async throws {
        try await Sandbox.withProbe("org.test.who: {kind: processing, handler: probe.who}") { box in
            try box.write(scenario: "duration: 1h")
            #expect(try await box.run("run", "--once").code == 0)
            let refused = try await box.rehearse()
            #expect(refused.code == 77)
            #expect(refused.error.contains("holds real requests"))
            try FileManager.default.removeItem(atPath: box.state)
            #expect(try await box.rehearse().code == 0)
            let real = try await box.run("run")
            #expect(real.code == 77)
            #expect(real.error.contains("of a simulated run"))
        }
    }

    @Test("the scenario's device takes precedence over the device that the manifest states")
    func stated() async throws {
        try await Sandbox.withProbe(
            "org.test.who: {kind: processing, handler: probe.who, requires: {power: external}}"
        ) { box in
            try box.write(scenario: "duration: 1h\ndevice: {power: external}")
            #expect(try await box.rehearse().error.contains("Task completed"))
        }
    }

    @Test(
        "options that depend on each other are required together",
        arguments: [
            ["--device", "simulated"], ["--scenario", "s.yaml"], ["--clock", "virtual"],
            ["--seed", "3"], ["--device", "simulated", "-s", "s.yaml", "--stay"],
            ["--device", "simulated", "-s", "s.yaml", "--clock", "scaled=0"],
            ["--device", "simulated", "-s", "s.yaml", "--clock", "fast"],
        ])
    func usage(_ options: [String]) async throws {
        try await Sandbox.with { box in
            let run = try await box.start(["-m", box.manifest] + options).end()
            #expect(run.code == 64, "\(run.error)")
        }
    }
}

/// The output of `--json`.
private struct Report: Decodable {
    struct Line: Decodable, Equatable {
        var identifier: String
        var launches: Int
        var completed: Int
        var accepted: Int
        var cancelled: Int
        var replaced: Int
        var pending: Int
    }

    var seed: UInt64
    var faults: [String]
    var tasks: [Line]

    init(_ json: String) throws {
        self = try JSONDecoder().decode(Report.self, from: Data(json.utf8))
    }
}

extension Sandbox {
    var scenario: String { directory + "/scenario.yaml" }

    func write(scenario text: String) throws {
        try "scenario: 1\nstart: 2026-03-02 08:00\n\(text)\n"
            .write(toFile: scenario, atomically: true, encoding: .utf8)
    }

    func startRehearsal(_ arguments: String...) throws -> Running {
        try start(rehearsal + arguments)
    }

    func rehearse(_ arguments: String...) async throws -> Finished {
        try await start(rehearsal + arguments).end()
    }

    private var rehearsal: [String] {
        [
            "run", "--manifest", manifest, "--state", state, "--device", "simulated", "--scenario",
            scenario,
        ]
    }
}

extension String {
    /// The time of day in a line of a simulated log.
    fileprivate var timeOfDay: String { String(dropFirst(11).prefix(8)) }

    fileprivate func line(_ text: String) -> String? {
        split(separator: "\n").first { $0.contains(text) }.map(String.init)
    }
}
