// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import CSQLite
import Foundation
import Glibc
import Testing

/// `BGRUN_SOAK_ROUNDS` sets the number of rounds; `BGRUN_SEED` repeats the choices of a run.
private enum Soak {
    static let rounds = number("BGRUN_SOAK_ROUNDS").map { Int(clamping: $0) } ?? 20
    static let seed = number("BGRUN_SEED") ?? .random(in: .min ... .max)

    private static func number(_ variable: String) -> UInt64? {
        ProcessInfo.processInfo.environment[variable].flatMap(UInt64.init)
    }
}

@Suite("Durability of acknowledged requests", .timeLimit(.minutes(4 + Soak.rounds / 20)))
struct DurabilityTests {
    /// The processes that are killed at a random moment of a round.
    private enum Victim: String, CaseIterable {
        case host, hostAndWorkers, workers, stoppedHost
    }

    /// The results of the acknowledged requests.
    private struct Tally: CustomStringConvertible {
        var acknowledged = 0
        var ranOnce = 0
        var ranAgain = 0
        var lost: [String] = []

        init(_ accepted: Set<String>, _ attempts: [Sandbox.Attempt]) {
            let ran = Dictionary(grouping: attempts, by: \.identifier)
            for identifier in accepted {
                let own = ran[identifier] ?? []
                acknowledged += 1
                if !own.contains(where: { $0.outcome == "completed" }) {
                    lost.append(identifier)
                } else if own.count == 1 {
                    ranOnce += 1
                } else {
                    ranAgain += 1
                }
            }
        }

        var description: String {
            "acknowledged \(acknowledged), ran once \(ranOnce), ran again \(ranAgain), "
                + "lost \(lost.count)"
        }
    }

    @Test("every accepted request is run, although hosts and workers are killed at random moments")
    func killedHosts() async throws {
        let seed = Soak.seed
        print("durability: BGRUN_SOAK_ROUNDS=\(Soak.rounds) BGRUN_SEED=\(seed)")
        var random = SplitMix(seed: seed)
        try await Sandbox.withProbe(
            """
            org.test.job.*:
              kind: processing
              handler: probe.who
              # A request whose worker is killed has failed.
              retry: {backoff: linear, from: 1s, to: 1s}
            org.test.sleep.*:
              kind: processing
              handler: exec.run
              parameters: {command: "sleep 1"}
              retry: {backoff: linear, from: 1s, to: 1s}
            """,
            plugins: ["exec": try Built.plugin("exec")],
            rest: "policy: {profile: server, interruption_limit: 1000, kept_attempts: 100000}"
        ) { box in
            var accepted: Set<String> = []
            var victims: [Victim: Int] = [:]
            for round in 0..<Soak.rounds {
                let victim = Victim.allCases.randomElement(using: &random) ?? .host
                victims[victim, default: 0] += 1
                accepted.formUnion(try await kill(victim, box, round, &random))
                if round % 5 == 4 { await box.expectNothingLeft(exceptStopped: true) }
            }
            let left = try await box.pending().pending.map(\.identifier)
            try await box.run("run")
            await box.expectNothingLeft()

            let ended = try await box.run("history", "--json", "--limit", "10000000")
            let attempts = try Sandbox.attempts(ended.output)
            let tally = Tally(accepted, attempts)
            print("durability: \(Soak.rounds) rounds: \(tally)")
            print("durability: killed \(victims.map { "\($0.rawValue) \($1)" }.sorted())")
            #expect(tally.lost == [], "seed \(seed)")
            let completed = Set(attempts.filter { $0.outcome == "completed" }.map(\.identifier))
            #expect(Set(left).subtracting(completed).isEmpty, "seed \(seed)")
            #expect(accepted.count > 2 * Soak.rounds, "seed \(seed)")
            let pending = try await box.pending()
            #expect(pending.count == 0 && pending.running.isEmpty)
            #expect(attempts.contains { $0.outcome == "interrupted" }, "seed \(seed)")
            #expect(try integrity(box.state + "/org.test.app/bgrun.sqlite") == "ok")
        }
    }

    /// Submits before and while a host runs, kills the victim, and returns the acknowledged identifiers.
    private func kill(
        _ victim: Victim, _ box: Sandbox, _ round: Int, _ random: inout SplitMix
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
        if Int.random(in: 0..<5, using: &random) == 0 {
            // At a random moment of its start, before its first line: no event marks these moments.
            let wait = UInt64.random(in: 0...50_000_000, using: &random)
            let end = DispatchTime.now().uptimeNanoseconds + wait
            while DispatchTime.now().uptimeNanoseconds < end { sched_yield() }
        } else {
            // The four jobs write at least three lines each.
            await host.lines(Int.random(in: 1...12, using: &random))
        }
        if victim == .stoppedHost { host.signal(SIGSTOP) }
        if victim != .host {
            for worker in box.workers { Glibc.kill(worker.pid, SIGKILL) }
        }
        host.signal(victim == .workers ? SIGTERM : SIGKILL)
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
