// SPDX-License-Identifier: Apache-2.0

import BGRunTestMachine
import Foundation
import Glibc
import Testing

@Suite("Conditions that an app reads while it runs", .timeLimit(.minutes(5)))
struct AppConditionsTests {
    private static let heat = "/sys/class/thermal/thermal_zone1/temp = "

    @Test("low power mode, heat and background refresh are those at launch until they change")
    func changes() async throws {
        let app = try await Built.app.value
        let machine = try RevocationTests.Machine(["power_profiles_daemon"])
        try machine.files(Self.heat + "60000")
        try await Sandbox.with(machine: (machine.tree.root, machine.bus.address)) { box in
            try box.write(
                plugins: ["app": app], device: "{}", rest: "policy: {profile: server}",
                tasks: "org.test.conditions: {kind: processing, handler: app}")
            let host = try box.start("run", "--stay")
            try await host.line("at launch: refresh 2, low power 0, thermal 0")
            try machine.profile("power-saver")
            try await host.line("while it runs: refresh 2, low power 1, thermal 0")
            try machine.files(Self.heat + "92000")
            try await host.line("while it runs: refresh 2, low power 1, thermal 2")
            #expect(try await box.run("refresh", "off").code == 0)
            try await host.line("while it runs: refresh 1, low power 1, thermal 2")
            try machine.profile("balanced")
            try await host.line("while it runs: refresh 1, low power 0, thermal 2")
            try machine.files(Self.heat + "60000")
            try await host.line("while it runs: refresh 1, low power 0, thermal 0")
            #expect(try await box.run("refresh", "on").code == 0)
            try await host.line("while it runs: refresh 2, low power 0, thermal 0")
            #expect(try await box.pending().running.map(\.identifier) == ["org.test.conditions"])
            #expect(await host.stop().code == 0)
        }
    }

    @Test(
        "init and the first attempt read the device that the manifest states",
        arguments: [("low_power_mode: true", "low power 1"), ("thermal: fair", "thermal 1")])
    func stated(device: String, seen: String) async throws {
        let app = try await Built.app.value
        try await Sandbox.with { box in
            try box.write(
                plugins: ["app": app], device: "{\(device)}", rest: "policy: {profile: server}",
                tasks: "org.test.conditions: {kind: processing, handler: app}")
            let host = try box.start("run", "--stay")
            for moment in ["in init", "at launch"] {
                let line = try await host.line("\(moment): refresh ")
                #expect(line.contains("refresh 2") && line.contains(seen), "\(line)")
            }
            #expect(await host.stop().code == 0)
        }
    }

    @Test(
        "only root restricts background refresh and permits it again, which the app reads",
        .enabled(if: Users.canBeChanged, "needs root, and a build that other users can run"))
    func restricted() async throws {
        let app = try await Built.app.value
        let user: uid_t = 1234
        try await Sandbox.with { box in
            try box.write(
                plugins: ["app": app], rest: "policy: {profile: server}",
                tasks: """
                    org.test.conditions: {kind: processing, handler: app}
                    org.test.kinds: {kind: continued, handler: app}
                    org.test.later: {kind: processing, handler: app, submit: manual}
                    """)
            chmod(box.directory, 0o755)
            chmod(box.manifest, 0o644)
            try FileManager.default.createDirectory(
                atPath: box.state, withIntermediateDirectories: false)
            chown(box.state, user, .max)
            func start(_ words: [String]) throws -> Running {
                let about = ["--manifest", box.manifest, "--state", box.state]
                return try box.start(as: user, [words[0]] + about + words.dropFirst())
            }
            func expectRefusal(_ position: String) async throws {
                let refused = try await start(["refresh", position]).end()
                #expect(refused.code == 77)
                #expect(
                    refused.error.contains("only root may restrict background refresh"),
                    "\(refused.error)")
            }

            let host = try start(["run", "--stay"])
            try await host.line("at launch: refresh 2")
            try await expectRefusal("restricted")
            let restricted = try await box.run("refresh", "restricted")
            #expect(restricted.code == 0, "\(restricted.error)")
            #expect(restricted.output == "Background refresh is restricted\n")
            try await host.line("while it runs: refresh 0")
            #expect(try await start(["submit", "org.test.kinds"]).end().code == 0)
            // -6 is BGRUN_E_UNAVAILABLE.
            try await host.line("right kind -6")
            try await host.line(
                "request for org.test.later was refused: background refresh is restricted")
            #expect(try await start(["submit", "org.test.later"]).end().code == 0)
            let explained = try await start(["explain", "org.test.later"]).end().output
            #expect(explained.contains("waits for background refresh"), "\(explained)")
            for position in ["on", "off", "restricted"] { try await expectRefusal(position) }
            #expect(await host.stop().code == 0)

            // Without a host, and with the next one.
            try await expectRefusal("on")
            let next = try start(["run", "--stay"])
            try await next.line("Background refresh is restricted")
            #expect(try await box.run("refresh", "on").code == 0)
            try await next.line("launched later")
            try await next.line("at launch: refresh 2")
            #expect(await next.stop().code == 0)
        }
    }
}
