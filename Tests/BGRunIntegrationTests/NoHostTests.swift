// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("Output of commands while no host runs", .timeLimit(.minutes(5)))
struct NoHostTests {
    private static let sync = "call: {library: libc.so.6, function: sync}"

    @Test("report counts an identifier that a wildcard handles as declared")
    func reportOfWildcard() async throws {
        try await Sandbox.with { box in
            try box.write(
                tasks: "org.test.images.*: {kind: processing, submit: manual, \(Self.sync)}")
            #expect(try await box.run("submit", "org.test.images.one").code == 0)
            #expect(try await box.run("run", "--once", "--quiet").code == 0)
            for name in ["one", "two"] {
                let report = try await box.run("report", "org.test.images.\(name)").output
                #expect(report.contains("\norg.test.images.\(name)  "), "\(report)")
                #expect(!report.contains("not declared"), "\(report)")
            }
        }
    }

    @Test(
        "explain judges by the readings that the manifest states",
        arguments: [("battery", "no  "), ("external", "ok  ")])
    func statedDevice(_ power: String, _ answer: String) async throws {
        try await Sandbox.with { box in
            try box.write(
                device: "{power: \(power)}",
                tasks: "org.test.a: {kind: processing, requires: {power: external}, \(Self.sync)}")
            let text = try await box.run("explain", "org.test.a").output
            #expect(text.contains("\n\(answer)  power "), "\(text)")
        }
    }

    @Test("explain shows the reason of use, also for a task that requires idleness")
    func reasonOfUse() async throws {
        try await Sandbox.with { box in
            try box.write(
                device: "{idle: false}",
                tasks: "org.test.a: {kind: processing, requires: {idle: true}, \(Self.sync)}")
            let text = try await box.run("explain", "org.test.a").output
            #expect(text.contains("  idle "), "\(text)")
            #expect(text.contains("  false: stated in the manifest  "), "\(text)")
        }
    }

    @Test("doctor reports once that nothing was launched")
    func nothingLaunched() async throws {
        try await Sandbox.with { box in
            try box.write(tasks: "org.test.a: {kind: processing, submit: manual, \(Self.sync)}")
            #expect(try await box.run("submit", "org.test.a", "--after", "1h").code == 0)
            let doctor = try await box.run("doctor").output
            #expect(
                doctor.contains("warn  log           nothing was launched so far\n"), "\(doctor)")
            #expect(doctor.contains("ok    failures      no attempt has failed\n"), "\(doctor)")
            #expect(!doctor.contains("no attempt has e"), "\(doctor)")
        }
    }

    @Test("a request that ran when its host was killed is reported, and can be cancelled")
    func killed() async throws {
        try await Sandbox.with { box in
            let action = "handler: exec.run, parameters: {command: sleep 600}"
            try box.write(
                plugins: ["exec": try Built.plugin("exec")],
                tasks: "org.test.a: {kind: processing, submit: manual, \(action)}")
            #expect(try await box.run("submit", "org.test.a").code == 0)
            let host = try box.start("run", "--stay")
            try await host.line("Starting task with identifier org.test.a")
            await host.stop(SIGKILL)
            #expect(try await box.run("pending").output.contains("its host died"))
            let doctor = try await box.run("doctor").output
            for text in [
                "1 request waits for a host", "org.test.a was launched last",
                "org.test.a: its host died while it ran",
            ] {
                #expect(doctor.contains(text), "\(doctor)")
            }
            let cancel = try await box.run("cancel", "org.test.a")
            #expect(cancel.output.hasPrefix("Cancelled 1 request"), "\(cancel)")
            #expect(!(try await box.run("pending").output.contains("org.test.a")))
            let next = try await box.run("run", "--once")
            #expect(next.code == 0 && !next.error.contains("Starting task"), "\(next.error)")
            let history = try await box.run("history").output
            #expect(history.contains("interrupted when its host died"), "\(history)")
            await box.expectNothingLeft()
        }
    }

    @Test("doctor checks the host of a manifest that has become invalid")
    func invalid() async throws {
        try await Sandbox.with { box in
            try box.write(tasks: "org.test.a: {kind: processing, submit: manual, \(Self.sync)}")
            let host = try await box.host("--stay", until: "Background refresh is")
            try "bgrun: 1\n".write(toFile: box.manifest, atomically: true, encoding: .utf8)
            let doctor = try await box.run("doctor").output
            #expect(doctor.contains("uses the previous manifest"), "\(doctor)")
            #expect(doctor.contains("\nok    host "), "\(doctor)")
            await host.stop()
        }
    }

    @Test("the dates of history are local, as those of the other tables; JSON has UTC")
    func datesOfHistory() async throws {
        try await Sandbox.with { box in
            try box.write(tasks: "org.test.a: {kind: processing, submit: manual, \(Self.sync)}")
            #expect(try await box.run("submit", "org.test.a").code == 0)
            #expect(try await box.run("run", "--once", "--quiet").code == 0)
            let table = try await box.startShell("TZ=UTC-5 $BGRUN history $OPTIONS").end().output
            let json = try await box.run("history", "--json").output
            let local = try #require(table.firstMatch(of: #/-\d\d (\d\d):\d\d:\d\d  org/#))
            let utc = try #require(json.firstMatch(of: #/"ended" : "[0-9-]+T(\d\d):.*Z"/#))
            let hours = try #require(Int(local.1)) - #require(Int(utc.1))
            #expect((hours + 24) % 24 == 5, "\(table)\(json)")
        }
    }

    @Test("top without a manifest has the date before which a request is not launched")
    func earliest() async throws {
        try await Sandbox.with { box in
            try box.write(tasks: "org.test.a: {kind: processing, submit: manual, \(Self.sync)}")
            #expect(try await box.run("submit", "org.test.a", "--after", "1h").code == 0)
            let top = try await box.start(["top", "--state", box.state, "--json"]).end()
            #expect(top.output.contains("\"earliest\" : "), "\(top.output)")
        }
    }
}
