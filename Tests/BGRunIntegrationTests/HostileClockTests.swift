// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

@Suite("A host whose clock is set", .timeLimit(.minutes(5)))
struct HostileClockTests {
    private static let hour: Int64 = 3_600
    private static let year: Int64 = 365 * 24 * hour

    @Test("continues, and each decision replays to the same")
    func shifts() async throws {
        let library = try await Built.shiftedClock.value
        try await Sandbox.withProbe(
            """
            org.test.often: {kind: processing, every: 1h, handler: probe.who}
            org.test.job.*: {kind: processing, submit: manual, handler: probe.who}
            """
        ) { box in
            let shift = box.directory + "/shift"
            let host = try box.start(
                ["run", "--stay", "--manifest", box.manifest, "--state", box.state], false,
                ["LD_PRELOAD": library, "CLOCK_SHIFT": shift])
            try await host.line("Starting task with identifier org.test.often")
            let shifts = [
                Self.hour, -2 * Self.hour, -10 * Self.year, 100 * Self.year, -60 * Self.year,
                285_000_000 * Self.year, -285_000_000 * Self.year, 0,
            ]
            for (number, seconds) in shifts.enumerated() {
                try "\(seconds)".write(toFile: shift, atomically: true, encoding: .utf8)
                let submit = try await box.run("submit", "org.test.job.\(number)")
                #expect(submit.code == 0, "\(seconds): \(submit.error)")
                try await host.line("Starting task with identifier org.test.job.\(number)")
            }
            let end = await host.stop()
            #expect(end.code == 0, "\(end.error.suffix(2_000))")
            await box.expectNothingLeft()
            let replay = try await box.run("replay")
            #expect(replay.code == 0, "\(replay.output) \(replay.error)")
            let history = try await box.history()
            #expect(history.count { $0.identifier.hasPrefix("org.test.job.") } == shifts.count)
        }
    }
}
