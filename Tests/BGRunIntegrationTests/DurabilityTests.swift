// SPDX-License-Identifier: Apache-2.0

import GRDBSQLite
import Glibc
import Testing

@Suite("What was acknowledged is not lost", .timeLimit(.minutes(4)))
struct DurabilityTests {
    /// SplitMix64: the same seed kills at the same lines.
    private struct Seeded: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var z = state
            z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
            z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
            return z ^ (z >> 31)
        }
    }

    @Test("hosts and workers are killed at random moments; every accepted request is run")
    func killedHosts() async throws {
        let seed = UInt64.random(in: .min ... .max)
        print("seed of the durability loop: \(seed)")
        var random = Seeded(state: seed)
        try await Sandbox.withProbe(
            """
            org.test.job.*: {kind: processing, handler: probe.who}
            org.test.sleep.*: {kind: processing, handler: exec.run, parameters: {command: "sleep 1"}}
            """,
            plugins: ["exec": try Built.plugin("exec")],
            rest: "policy: {profile: server, interruption_limit: 1000}"
        ) { box in
            var accepted: Set<String> = []
            for round in 0..<15 {
                accepted.formUnion(try await killOneHost(box, round, &random))
            }
            let left = try await box.pending().pending.map(\.identifier)
            try await box.run("run")
            await box.expectNothingLeft()

            let ended = try await box.run("history", "--json", "--limit", "1000000")
            let attempts = try Sandbox.attempts(ended.output)
            let ran = Set(attempts.filter { $0.outcome != "interrupted" }.map(\.identifier))
            #expect(accepted.subtracting(ran).isEmpty, "seed \(seed)")
            #expect(Set(left).subtracting(ran).isEmpty, "seed \(seed)")
            #expect(accepted.count > 30, "seed \(seed)")
            let pending = try await box.pending()
            #expect(pending.count == 0 && pending.running.isEmpty)
            #expect(attempts.contains { $0.outcome == "interrupted" }, "seed \(seed)")
            #expect(try integrity(box.state + "/org.test.app/bgrun.sqlite") == "ok")
        }
    }

    /// Submits before and while a host runs, kills the host, and returns what was acknowledged.
    private func killOneHost(
        _ box: Sandbox, _ round: Int, _ random: inout Seeded
    ) async throws -> [String] {
        var submissions: [(String, Running)] = []
        func submit(_ kind: String, _ number: Int) throws {
            let identifier = "org.test.\(kind).\(round)-\(number)"
            submissions.append((identifier, try box.start("submit", identifier)))
        }
        try submit("job", 0)
        if round.isMultiple(of: 3) { try submit("sleep", 1) }
        if Bool.random(using: &random), let first = submissions.first { await first.1.end() }
        let host = try box.start("run", "--stay")
        for number in 2..<5 { try submit("job", number) }
        // The four jobs make three lines each at least.
        await host.lines(Int.random(in: 1...12, using: &random))
        if Bool.random(using: &random), let worker = box.workers.randomElement(using: &random) {
            kill(worker.pid, SIGKILL)
        }
        host.signal(SIGKILL)
        await host.end()
        var accepted: [String] = []
        for (identifier, submission) in submissions where await submission.end().code == 0 {
            accepted.append(identifier)
        }
        return accepted
    }

    private func integrity(_ path: String) throws -> String {
        var database: OpaquePointer?
        defer { sqlite3_close(database) }
        try #require(sqlite3_open_v2(path, &database, SQLITE_OPEN_READONLY, nil) == SQLITE_OK)
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        sqlite3_prepare_v2(database, "PRAGMA integrity_check", -1, &statement, nil)
        try #require(sqlite3_step(statement) == SQLITE_ROW)
        return sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? ""
    }
}
