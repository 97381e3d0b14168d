// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

/// Transfers that a plugin creates, and the launches at their ends.
@Suite("Sessions of transfers", .timeLimit(.minutes(5)))
struct TransferSessionTests {
    private static func with(
        leaving: Bool = false, _ body: (Sandbox, FileServer) async throws -> Void
    ) async throws {
        let probe = try await Built.probe.value
        try await Sandbox.with { box in
            let server = try await FileServer(box)
            try server.put("file", size: 4_000)
            try box.write(
                plugins: ["probe": probe], device: "{power: battery, network: unmetered}",
                rest: "policy: {profile: server}",
                tasks: """
                    org.test.fetch:
                      kind: processing
                      handler: probe.fetch
                      environment: {PROBE: "\(server.address)/file"}
                    org.test.session:
                      kind: transfer
                      handler: probe.take-ends
                      environment: {PROBE: \(leaving ? "leave" : "take")}
                    """)
            try await body(box, server)
        }
    }

    @Test("the task of a session is launched when all have finished, and gets each of them")
    func events() async throws {
        try await Self.with { box, server in
            let run = try await box.run("run")
            #expect(run.code == 0, "\(run.error)")
            for line in [
                "create 0", "cancel 0", "cancel again -5", "resume 0", "suspend -5",
                "create -1",
                "transfer 1 of org.test.session: state 3, error 0, 4000 of 4000, first",
                "transfer 3 of org.test.session: state 3, error 0, 4000 of 4000, third",
                "status 200, file of 4000", "events 0",
            ] {
                #expect(run.error.contains("] \(line)\n"), "\(line):\n\(run.error)")
            }
            #expect(!run.error.contains("second"), "a cancelled transfer reports nothing more")
            #expect(try await box.history("org.test.session").count == 1)
            let rows = try await box.transfers()
            #expect(rows.map(\.state) == ["completed", "cancelled", "completed"])
            #expect(rows.count(where: \.delivered) == 3)
            let left = try FileManager.default.contentsOfDirectory(
                atPath: box.state + "/org.test.app/transfers")
            #expect(left.isEmpty, "temporary files are gone: \(left)")
        }
    }

    @Test(
        "the page of a 404 answer is kept as the file; then the run ends")
    func page() async throws {
        let probe = try await Built.probe.value
        try await Sandbox.with { box in
            let server = try await FileServer(box)
            try box.write(
                plugins: ["probe": probe], device: "{power: battery, network: unmetered}",
                rest: "policy: {profile: server}",
                tasks: """
                    org.test.fetch:
                      kind: processing
                      handler: probe.fetch-page
                      environment: {PROBE: "\(server.address)/missing.mp3"}
                    org.test.session: {kind: transfer, handler: probe.take-ends}
                    org.test.quiet: {kind: transfer, handler: probe.take-ends}
                    """)
            let run = try await box.run("run")
            #expect(run.code == 0, "\(run.error)")
            #expect(run.error.contains("state 3, error 0"), "\(run.error)")
            #expect(run.error.contains("status 404"), "\(run.error)")
            let state = box.state + "/org.test.app"
            #expect(
                run.error.contains("it is kept as \(state)/downloads/1-missing.mp3"),
                "\(run.error)")
            #expect(FileManager.default.fileExists(atPath: state + "/downloads/1-missing.mp3"))
            #expect(try await box.history("org.test.quiet").isEmpty)
            #expect(try await box.transfers().map(\.state) == ["completed", "completed"])
        }
    }

    @Test("a task that leaves events is launched again, later")
    func left() async throws {
        try await Self.with(leaving: true) { box, _ in
            let host = try await box.host(until: "events ")
            try await host.line("Task completed with identifier org.test.session")
            var pending = try await box.pending().pending
            while pending.isEmpty { pending = try await box.pending().pending }
            #expect(pending.map(\.identifier) == ["org.test.session"])
            #expect(pending[0].reason.contains("earliest"), "\(pending)")
            await host.stop()
            #expect(try await box.transfers().count { !$0.delivered } == 2)
        }
    }
}
