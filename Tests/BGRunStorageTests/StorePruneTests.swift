// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@testable import BGRunStorage

@Suite("Pruning of the store", .timeLimit(.minutes(10)))
struct StorePruneTests {
    let scratch: Scratch
    let store: Store

    init() throws {
        scratch = try Scratch()
        store = try scratch.open()
    }

    /// Launches `identifier` at `tick`, writes three lines, and ends the attempt ten ticks later.
    private func run(_ id: Int64, _ identifier: String = "a", tick: Int64? = nil) throws {
        var attempt = Attempt.sample(id, of: .sample(id, identifier))
        attempt.launched = .sample(tick ?? id)
        try store.apply(.beginAttempt(attempt, worker: nil))
        for line in 1...3 {
            try store.apply(
                .output(
                    attempt: id, .standardOutput, text: "\(line)", at: attempt.launched.wall))
        }
        try store.apply(.end(id, tick: attempt.launched.wall.milliseconds + 10))
    }

    /// Prunes until nothing is left to prune. Returns the number of calls.
    private func prune(keep: Int, before tick: Int64, rows: Int = 500) throws -> Int {
        var calls = 1
        let date = WallTime(milliseconds: tick)
        while try store.prune(keepAttempts: keep, olderThan: date, rows: rows) { calls += 1 }
        return calls
    }

    /// The number of attempts, lines of output and events.
    private func stored() throws -> Int {
        let count = try store.access { database -> Int? in
            try database.value(
                """
                SELECT (SELECT count(*) FROM history) + (SELECT count(*) FROM output)
                    + (SELECT count(*) FROM event)
                """)
        }
        return try #require(count)
    }

    private func attempts() throws -> [Int64] { try store.history(limit: 99).map(\.attempt) }

    @Test("keeps the newest attempts of each identifier, however old")
    func keep() throws {
        for id in Int64(1)...9 { try run(id, id.isMultiple(of: 3) ? "rare" : "often") }
        _ = try prune(keep: 2, before: 1_000)
        #expect(try attempts() == [9, 8, 7, 6])
        #expect(try store.output(attempt: 5).isEmpty)
        #expect(try store.output(attempt: 6).count == 3)
    }

    @Test("keeps attempts that ended on the date or later, also beside longer older ones")
    func date() throws {
        for id in Int64(1)...5 { try run(id, tick: id * 100) }
        try run(6, tick: 50)
        try run(7, tick: 900)
        _ = try prune(keep: 0, before: 310)
        #expect(try attempts() == [7, 6, 5, 4, 3])
        _ = try prune(keep: 0, before: 1_000)
        #expect(try attempts() == [7])
    }

    @Test("removes all old events, also if no attempt has ended", arguments: [2, 10, 200])
    func events(rows: Int) throws {
        for id in Int64(1)...50 { try store.apply(.event(id)) }
        _ = try prune(keep: 0, before: 1_000, rows: rows)
        #expect(try store.events(limit: 99).count == 1)
    }

    @Test(
        "reads few rows per call, and repeated calls finish", arguments: [1, 2, 3, 7, 500])
    func bound(rows: Int) throws {
        for id in Int64(1)...20 {
            try run(id)
            try store.apply(.event(id))
        }
        var left = try stored()
        var isDone = false
        while !isDone {
            isDone = try !store.prune(
                keepAttempts: 1, olderThan: WallTime(milliseconds: 1_000), rows: rows)
            let now = try stored()
            #expect(left - now <= rows)
            left = now
        }
        #expect(try attempts() == [20])
        #expect(try (1...19).allSatisfy { try store.output(attempt: $0).isEmpty })
        #expect(try store.events(limit: 99).map(\.line.text) == ["line 20"])
    }

    @Test("does not change open attempts, pending requests and checkpoints")
    func untouched() throws {
        try run(1)
        try store.apply(
            .putRequest(.sample(9, "pending")),
            .putCheckpoint(identifier: "a", version: 1, data: [1]),
            .beginAttempt(.sample(2, of: .sample(2)), worker: nil),
            .output(attempt: 2, .log, text: "x", at: WallTime(milliseconds: 1)))
        try run(3)
        _ = try prune(keep: 0, before: .max)
        #expect(try attempts() == [3])
        #expect(try store.running().map(\.attempt.id) == [2])
        #expect(try store.output(attempt: 2).count == 1)
        #expect(try store.pendingCount() == 1)
        #expect(try store.checkpoint("a") != nil)
        #expect(try store.restoration().0.lastLaunches["a"] == WallTime(milliseconds: 3))
    }

    @Test("keeps the newest event, so that event ids always increase")
    func eventIDs() throws {
        try store.apply(.event(1), .event(2))
        let newest = try #require(try store.events(limit: 9).last)
        _ = try prune(keep: 0, before: .max)
        #expect(try store.events(limit: 9) == [newest])
        try store.apply(.event(3))
        #expect(try store.events(after: newest.id, limit: 9).map(\.line.text) == ["line 3"])
    }

    @Test("does nothing in an empty store")
    func empty() throws {
        #expect(try prune(keep: 0, before: .max) == 1)
    }
}
