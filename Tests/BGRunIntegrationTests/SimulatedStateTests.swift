// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@Suite("Commands and the state of a simulated run", .timeLimit(.minutes(5)))
struct SimulatedStateTests {
    @Test("explain answers for the moment at which the time of a simulated run stopped")
    func explained() async throws {
        try await Sandbox.withProbe(
            "org.test.power: {kind: processing, handler: probe.who, requires: {power: external}}",
            rest: "policy: {profile: apple}"
        ) { box in
            try box.write(
                scenario: """
                    duration: 3h
                    device: {power: battery}
                    events: [{at: 1h, app: open}]
                    """)
            #expect(try await box.rehearse().code == 0)
            let now = try await box.run("explain", "org.test.power").output
            #expect(now.contains("At 2026-03-02 1"), "\(now)")
            #expect(now.contains("the last one ended at"), "\(now)")
            #expect(now.contains("opened 2h ago") && now.contains("battery"), "\(now)")
            #expect(now.contains("LAST EVENTS"), "\(now)")
            let before = try await box.run("explain", "org.test.power", "--at", "-90m").output
            #expect(before.contains("opened 30m ago"), "\(before)")
            let later = try await box.run("explain", "org.test.power", "--at", "+1h").output
            #expect(later.contains("opened 3h ago") && later.contains("battery"), "\(later)")
        }
    }

    @Test("a relative time counts from the simulated time of a scaled run")
    func asked() async throws {
        try await Sandbox.withProbe("org.test.wait: {kind: processing, handler: probe.wait}") {
            box in
            try box.write(scenario: "duration: 7d")
            let host = try box.startRehearsal("--clock", "scaled=1")
            try await host.line("waiting in")
            let later = try await box.run("explain", "org.test.wait", "--at", "+1d")
            #expect(later.output.contains("At 2026-03-03 "), "\(later.output)\(later.error)")
            #expect(later.output.contains("every attempt takes no time"), "\(later.output)")
            let before = try await box.run("explain", "org.test.wait", "--at", "-0s")
            #expect(before.output.contains("At 2026-03-02 "), "\(before.output)\(before.error)")
            await host.stop()
        }
    }

    @Test(
        "no command writes this machine's dates into a simulated state",
        arguments: [
            ["submit", "org.test.who"], ["cancel", "org.test.who"], ["open"], ["quit", "--force"],
            ["refresh", "off"],
        ])
    func untouched(_ command: [String]) async throws {
        try await Sandbox.withProbe(
            "org.test.who: {kind: processing, handler: probe.who, submit: manual}"
        ) { box in
            try box.write(scenario: "duration: 1h")
            #expect(try await box.rehearse().code == 0)
            let run = try await box.run(
                command + ["--manifest", box.manifest, "--state", box.state])
            #expect(run.code == 77, "\(run.output)\(run.error)")
            #expect(run.error.contains("of a simulated run"), "\(run.error)")
        }
    }
}
