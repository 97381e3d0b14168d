// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@Suite("A request whose identifier is running", .timeLimit(.minutes(5)))
struct OverlapTests {
    @Test("queue: it waits for the running attempt")
    func queue() async throws {
        try await overlap("queue") { box, host, gate in
            let waiting = try await box.pending().pending
            #expect(waiting.map(\.reason) == ["waits for running attempt 1 to end"])
            gate.open()
            try await host.line("Starting task", after: Self.started(host))
            gate.open()
            #expect(await host.end().code == 0)
            #expect(try await box.history().map(\.outcome) == ["completed", "completed"])
        }
    }

    @Test("skip: it is refused")
    func skip() async throws {
        try await overlap("skip", submitted: 77) { box, host, gate in
            #expect(try await box.pending().count == 0)
            gate.open()
            let end = await host.end()
            #expect(end.code == 0)
            let history = try await box.history()
            #expect(history.map(\.outcome) == ["completed"])
        }
    }

    @Test("replace: it ends the running attempt without grace")
    func replace() async throws {
        try await overlap("replace") { box, host, gate in
            try await host.line("Starting task", after: Self.started(host))
            gate.open()
            #expect(await host.end().code == 1)
            let history = try await box.history()
            #expect(history.map(\.outcome) == ["expired", "completed"])
            #expect(history.first?.detail.hasPrefix("expired (preempted)") == true)
        }
    }

    @Test("expire-old: it expires the running attempt, with its grace")
    func expireOld() async throws {
        try await Sandbox.withProbe(
            "org.test.wait: {kind: processing, handler: probe.wait, overlap: expire-old}"
        ) { box in
            let host = try await box.host(until: "waiting in")
            #expect(try await box.run("submit", "org.test.wait").code == 0)
            try await host.line("told 12 (preempted), grace 5000 ms")
            try await host.line("Starting task", after: Self.started(host))
            await host.stop()
            let details = try await box.history().map(\.detail)
            #expect(details.first == "expired (preempted), reported no success")
        }
    }

    /// Runs `body` with an attempt at the gate and a request submitted after it.
    private func overlap(
        _ rule: String, submitted code: Int32 = 0,
        _ body: (Sandbox, Running, Gate) async throws -> Void
    ) async throws {
        try await Sandbox.withProbe(
            "org.test.gate: {kind: processing, handler: probe.gate, overlap: \(rule)}"
        ) { box in
            let gate = try box.gate("gate")
            let host = try await box.host(until: "at the gate")
            #expect(try await box.run("submit", "org.test.gate").code == code)
            try await body(box, host, gate)
        }
    }

    /// The number of lines up to the first start, inclusive.
    private static func started(_ host: Running) -> Int {
        (host.errorLines.firstIndex { $0.contains("Starting task") } ?? 0) + 1
    }
}
