// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

@Suite("A slot that an app holds beyond its share", .timeLimit(.minutes(5)))
struct ShareReclaimTests {
    @Test(
        "is reclaimed once another app has waited for --reclaim-after, and does not count as a failure"
    )
    func reclaimed() async throws {
        let probe = try await Built.probe.value
        try await Sandbox.with { box in
            let options = ["--manifest", box.apps + "/one.yaml", "--state", box.state, "--json"]
            try FileManager.default.createDirectory(
                atPath: box.apps, withIntermediateDirectories: true)
            try """
            bgrun: 1
            app: org.test.one
            modes: [processing]
            permitted_identifiers: [org.test.one.*]
            plugins: {probe: \(probe)}
            policy: {profile: server}
            tasks:
              org.test.one.run: {kind: processing, handler: probe.wait}
            """.write(toFile: box.apps + "/one.yaml", atomically: true, encoding: .utf8)
            let daemon = try box.startDaemon("--attempts", "1", "--reclaim-after", "1s")
            try await daemon.line("[org.test.one.run] waiting in")
            try box.writeApp("two", "echo two")
            let task = "task with identifier org.test.one.run"
            try await daemon.line("Expiring \(task): share-reclaimed")
            // The handler sees 10, the reason of a quota.
            try await daemon.line("[org.test.one.run] told 10 (share-reclaimed)")
            try await daemon.line("Task completed with identifier org.test.two.run")
            // The first app gets the slot again.
            let reclaimed = daemon.errorLines.firstIndex { $0.contains("told 10") }
            try await daemon.line(
                "[org.test.one.run] waiting in", after: try #require(reclaimed))
            #expect(await daemon.stop().code == 0)
            let history = try await box.start(["history"] + options).end().output
            let attempts = try Sandbox.attempts(history)
            #expect(
                attempts.map(\.detail) == [
                    "expired (share-reclaimed), reported no success",
                    "expired (shutdown), reported no success",
                ])
            #expect(attempts.map(\.failuresBefore) == [0, 0])
        }
    }
}
