// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

/// Fourteen pushes, seven launches: simulated, rehearsed with real handlers, and with a live inbox.
@Suite("Fourteen pushes in an hour and a half", .timeLimit(.minutes(5)))
struct PushStoryTests {
    private static let folder = Built.package + "/manifests/scenarios/fourteen-pushes"

    @Test("are launched at the same times in a simulation and a rehearsal")
    func rehearsed() async throws {
        _ = try Built.plugin("exec")
        try await Sandbox.with { box in
            for (name, path) in [("manifest", box.manifest), ("scenario", box.scenario)] {
                try FileManager.default.copyItem(
                    atPath: "\(Self.folder)/\(name).yaml", toPath: path)
            }
            let simulated = try await box.run(
                [
                    "simulate", "--manifest", box.manifest, "--scenario", box.scenario,
                    "--assert", "changed.accepted == 14", "--assert", "changed.launches == 7",
                ])
            #expect(simulated.code == 0, "\(simulated.output) \(simulated.error)")
            let run = try await box.rehearse()
            #expect(run.code == 0, "\(run.error)")
            let lines = run.error.split(separator: "\n")
            #expect(
                lines.count { $0.contains("a push for com.example.photos.changed comes") } == 14)
            #expect(
                lines.filter { $0.contains("Starting task") }.map { $0.dropFirst(11).prefix(8) }
                    == [
                        "09:00:00", "09:15:00", "09:30:00", "10:00:00", "10:15:00", "10:30:00",
                        "11:00:00",
                    ])
            // Each launch gets the newest push.
            let albums = lines.compactMap { line in
                line.range(of: "] {\"album\":").map { line[$0.upperBound...].prefix { $0 != "," } }
            }
            #expect(albums == ["1", "3", "5", "9", "11", "13", "14"])
        }
    }

    @Test("cause seven launches if they are dropped into a live inbox")
    func live() async throws {
        try await Sandbox.withProbe(
            PushTests.task + "\n  parameters: {gate: true}",
            rest: """
                policy: {profile: apple, push_spacing: 1s, push_hourly: 100}
                push: {inbox: ./inbox}
                """
        ) { box in
            let gate = try box.gate("gate")
            let host = try await box.host("--stay", until: "Pushes come from the inbox")
            var sent = 0
            func drop(_ count: Int) throws {
                for _ in 0..<count {
                    sent += 1
                    try PushSourceTests.drop(box, "\(sent).json", PushSourceTests.envelope(sent))
                }
            }
            // The first push is launched at once. A push that is dropped while an attempt runs waits for the
            // attempt's end and for the spacing.
            try drop(1)
            for launch in 1...6 {
                try await host.line("message {\"album\":\(sent),")
                try drop(launch == 6 ? 3 : 2)
                #expect(await eventually { PushSourceTests.files(box, "inbox").isEmpty })
                if launch == 1 {
                    let explain = try await box.run("explain", "org.test.changed").output
                    #expect(explain.contains("MESSAGES HELD: 1"), "the newest: \(explain)")
                    #expect(explain.contains("rate-limit"), "\(explain)")
                }
                gate.open()
            }
            try await host.line("message {\"album\":14,")
            gate.open()
            #expect(
                await eventually { host.errorLines.count { $0.contains("Task completed") } == 7 })
            let end = await host.stop()
            #expect(sent == 14)
            #expect(try await box.history().count == 7)
            #expect(
                PushTests.messages(end.error.split(separator: "\n").map(String.init)) == [
                    "1", "3", "5", "7", "9", "11", "14",
                ])
        }
    }
}
