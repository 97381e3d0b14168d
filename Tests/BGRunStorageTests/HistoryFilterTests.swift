// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@testable import BGRunStorage

@Suite("Queries of a long history", .timeLimit(.minutes(10)))
struct HistoryFilterTests {
    let scratch: Scratch
    let store: Store
    static let outcomes: [Outcome] = [
        .completed, .completed, .failed, .expired(.time, reported: nil),
        .expired(.powerLost, reported: true), .crashed(signal: 11), .exited(code: 2), .refused,
        .interrupted,
    ]

    /// Stores 300 attempts of three tasks; every seventh ends long after the following ones.
    init() throws {
        scratch = try Scratch()
        store = try scratch.open()
        for number in Int64(1)...300 {
            let request = TaskRequest(
                id: number, identifier: "task.\(number % 3)", kind: .processing,
                submitted: WallTime(milliseconds: number * 10),
                earliest: number % 2 == 0 ? WallTime(milliseconds: number * 10 + 5) : nil,
                annotations: Annotations(
                    tags: [["a", "c"], ["ab"], ["b"], [], []][Int(number) % 5]))
            let end = number * 10 + (number % 7 == 0 ? 500 : 8)
            try store.apply(
                .putRequest(request), .beginAttempt(.sample(number, of: request), worker: nil),
                .end(number, Self.outcomes[Int(number) % Self.outcomes.count], tick: end))
        }
    }

    static let filters: [HistoryFilter] = {
        let dates: [(Int64?, Int64?)] = [(nil, nil), (1_500, nil), (nil, 900), (700, 2_000)]
        let words: [([String], [StopReason])] = [
            ([], []), (["completed"], []), (["failed", "expired"], []), ([], [.powerLost]),
            (["expired"], [.time]), (["completed", "failed"], []),
        ]
        let annotations = [nil, "tag:a", "tag:b", "tag:c"]
        return [nil, "task.1"].flatMap { identifier in
            dates.flatMap { since, until in
                words.flatMap { outcomes, reasons in
                    annotations.map { annotation in
                        HistoryFilter(
                            identifier: identifier, since: since.map(WallTime.init(milliseconds:)),
                            until: until.map(WallTime.init(milliseconds:)), outcomes: outcomes,
                            reasons: reasons, annotation: annotation)
                    }
                }
            }
        }
    }()

    private func accepts(_ filter: HistoryFilter, _ row: HistoryRow) -> Bool {
        if let identifier = filter.identifier, row.identifier != identifier { return false }
        if let since = filter.since, row.ended < since { return false }
        if let until = filter.until, row.ended >= until { return false }
        if !filter.outcomes.isEmpty, !filter.outcomes.contains(row.outcome.name) { return false }
        if let word = filter.annotation, !row.annotations.has(word) { return false }
        guard !filter.reasons.isEmpty else { return true }
        guard case .expired(let reason, _) = row.outcome else { return false }
        return filter.reasons.contains(reason)
    }

    @Test("the attempt that ended last is first, regardless of the order of launches")
    func lastEnded() throws {
        let all = try store.history(limit: .max)
        let expected = all.sorted { ($0.ended, $0.attempt) > ($1.ended, $1.attempt) }.prefix(20)
        #expect(try store.lastEnded(limit: 20) == Array(expected))
        #expect(expected.map(\.attempt) != all.prefix(20).map(\.attempt))
    }

    @Test("a filter finds exactly the matching attempts", arguments: filters)
    func filter(_ filter: HistoryFilter) throws {
        func byNumber(_ rows: [HistoryRow]) -> [HistoryRow] {
            rows.sorted { $0.attempt < $1.attempt }
        }
        let expected = byNumber(try store.history(limit: .max).filter { accepts(filter, $0) })
        let found = try store.history(filter, limit: 1_000)
        #expect(byNumber(found) == expected)
        var visited: [HistoryRow] = []
        try store.visitHistory(filter) { visited.append($0) }
        #expect(byNumber(visited) == expected)
        #expect(try store.history(filter, limit: 7) == Array(found.prefix(7)))
    }

    @Test("`since` includes its instant, and `until` does not")
    func edges() throws {
        let row = try #require(try store.history(limit: .max).last)
        let since = try store.history(HistoryFilter(since: row.ended), limit: 1_000)
        let until = try store.history(HistoryFilter(until: row.ended), limit: 1_000)
        #expect(since.contains(row) && !until.contains(row))
    }

    @Test("the newest attempts are first")
    func order() throws {
        let found = try store.history(
            HistoryFilter(since: WallTime(milliseconds: 0), outcomes: ["failed"]), limit: 99)
        #expect(found.map(\.ended) == found.map(\.ended).sorted(by: >))
        let own = try store.history(HistoryFilter(identifier: "task.2"), limit: 99)
        #expect(own.map(\.attempt) == own.map(\.attempt).sorted(by: >))
    }

    @Test(
        "a query reads only the relevant attempts, without sorting",
        arguments: [
            (HistoryFilter(since: WallTime(milliseconds: 5)), "history_ended"),
            (HistoryFilter(outcomes: ["failed"]), "history_trouble"),
            (HistoryFilter(identifier: "task.1", reasons: [.time]), "history_trouble"),
            (HistoryFilter(identifier: "task.1"), "history_identifier"),
        ])
    func plan(_ filter: HistoryFilter, _ index: String) throws {
        let query = HistoryQuery(filter)
        let plan = try store.access { database in
            try database.all(
                "EXPLAIN QUERY PLAN SELECT * FROM \(query.text) ORDER BY \(query.order)",
                query.values
            ) { try $0[3] as String }.joined(separator: "; ")
        }
        #expect(plan.contains(index), "\(plan)")
        #expect(!plan.contains("TEMP B-TREE"), "\(plan)")
    }

    @Test("an attempt keeps its earliest date")
    func earliest() throws {
        #expect(try store.ended(4)?.earliest == WallTime(milliseconds: 45))
        #expect(try store.ended(5)?.earliest == nil)
        #expect(try store.ended(301) == nil)
        #expect(try store.ended(0) == nil, "the oldest is 1")
        #expect(try store.newestAttempt() == 300)
        #expect(try store.ended(after: 298, limit: 9).map(\.attempt) == [299, 300])
        #expect(try store.firstSubmitted("task.2") == WallTime(milliseconds: 20))
    }

    @Test("attempts with output are found in pages from the newest on")
    func output() throws {
        for attempt in [Int64(3), 9, 200] {
            for line in 1...3 {
                try store.apply(
                    .output(
                        attempt: attempt, .standardOutput, text: "line \(line)",
                        at: WallTime(milliseconds: Int64(line))))
            }
        }
        #expect(try store.attemptsWithOutput(limit: 9) == [200, 9, 3])
        #expect(try store.attemptsWithOutput(limit: 2) == [200, 9])
        #expect(try store.attemptsWithOutput(before: 9, limit: 2) == [3])
        #expect(try store.attemptsWithOutput(before: 10, limit: 2) == [9, 3])
        #expect(try store.output(attempt: 9, after: 2).map(\.line.text) == ["line 3"])
        #expect(try store.identifier(ofAttempt: 9) == "task.0")
        #expect(try store.identifier(ofAttempt: 999) == nil)
    }
}
