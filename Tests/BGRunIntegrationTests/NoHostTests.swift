// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("Output of commands while no host runs", .timeLimit(.minutes(2)))
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
