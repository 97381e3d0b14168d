// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@testable import BGRunStorage

@Suite("Restoration from the store", .timeLimit(.minutes(10)))
struct StoreRestorationTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test("an empty store starts with id 1")
    func empty() throws {
        let (restored, interrupted) = try scratch.open().restoration()
        #expect(restored.requests.isEmpty && restored.lastLaunches.isEmpty && interrupted.isEmpty)
        #expect(restored.nextRequestID == 1 && restored.nextAttemptID == 1)
    }

    @Test("pending requests, open attempts and last launches are restored after a crash")
    func restore() throws {
        let full = StoreChangeTests.full
        do {
            let store = try scratch.open()
            try store.apply(
                .putRequest(.sample(1)), .putRequest(full), .putRequest(.sample(8, "daily")),
                .beginAttempt(
                    .sample(3, of: full, declaration: "com.example.photos.*"), worker: nil),
                .beginAttempt(.sample(4, of: .sample(8, "daily")), worker: nil),
                .end(4, tick: 30))
        }
        let (restored, interrupted) = try scratch.open().restoration()
        #expect(restored.requests == [.sample(1)])
        #expect(restored.lastLaunches == ["daily": WallTime(milliseconds: 4)])
        #expect(restored.nextRequestID == 9)
        #expect(restored.nextAttemptID == 5)
        #expect(interrupted == [InterruptedAttempt(id: 3, request: full)])
    }

    @Test("the mark of a cancelled attempt is removed with its end")
    func cancelled() throws {
        let store = try scratch.open()
        try store.apply(
            .beginAttempt(.sample(3, of: .sample(1)), worker: nil),
            .beginAttempt(.sample(4, of: .sample(2, "daily")), worker: nil), .cancelAttempt(3))
        #expect(try store.facts("cancelled").map(\.0) == ["3"])
        #expect(try store.cancelledAttempts().map(\.id) == [3])
        #expect(try store.interruptedAttempts().map(\.id) == [4])
        try store.apply(.end(3, .interrupted, tick: 9))
        #expect(try store.facts("cancelled").isEmpty)
    }

    @Test("an open attempt is ended and requeued in one step")
    func requeue() throws {
        let store = try scratch.open()
        try store.apply(.beginAttempt(.sample(3, of: .sample(1)), worker: nil))
        var request = try #require(try store.restoration().1.first?.request)
        request.interruptions += 1
        try store.apply(.end(3, .interrupted, tick: 9), .putRequest(request))
        let (restored, interrupted) = try store.restoration()
        #expect(restored.requests == [request])
        #expect(interrupted.isEmpty)
        #expect(restored.lastLaunches == ["com.example.refresh": WallTime(milliseconds: 3)])
    }

    @Test("a running attempt counts as the last launch")
    func lastLaunch() throws {
        let store = try scratch.open()
        for id in Int64(1)...2 {
            try store.apply(.beginAttempt(.sample(id, of: .sample(id)), worker: nil))
        }
        #expect(
            try store.restoration().0.lastLaunches == [
                "com.example.refresh": WallTime(milliseconds: 2)
            ])
    }

    @Test("no id is reused after removal, replacement, launch or pruning")
    func ids() throws {
        do {
            let store = try scratch.open()
            try store.apply(
                .putRequest(.sample(1)), .putRequest(.sample(2)), .putRequest(.sample(3, "b")),
                .removeRequest(identifier: "b"),
                .beginAttempt(.sample(1, of: .sample(2)), worker: nil), .end(1, tick: 2),
                .beginAttempt(.sample(2, of: .sample(2)), worker: nil), .end(2, tick: 3))
            while try store.prune(keepAttempts: 0, olderThan: WallTime(milliseconds: .max)) {}
        }
        let store = try scratch.open()
        #expect(try store.restoration().0.nextRequestID == 4)
        #expect(try store.restoration().0.nextAttemptID == 3)
        // A retry keeps its id, and uses no new one.
        try store.apply(.putRequest(.sample(2)))
        #expect(try store.restoration().0.nextRequestID == 4)
    }

    @Test("the engine accepts the restored state")
    func engine() throws {
        let store = try scratch.open()
        try store.apply(.putRequest(.sample(5)))
        let engine = Engine(
            Engine.Configuration(
                permitted: ["com.example.refresh"],
                declarations: [
                    TaskDeclaration(identifier: "com.example.refresh", kind: .appRefresh)
                ],
                modes: [.fetch], policy: .apple),
            device: DeviceState(), restoring: try store.restoration().0)
        #expect(engine.pendingRequests == [.sample(5)])
    }

    @Test("stored facts of the app are restored, deleted ones are not")
    func facts() throws {
        let store = try scratch.open()
        #expect(try store.appFacts() == AppFacts())
        try store.apply(
            .remember([Fact("force-quit", 1), Fact("last-foreground", 5), Fact("missed:a", 2)]))
        try store.apply(.remember([Fact("force-quit", nil), Fact("missed:a", 3)]))
        var expected = AppFacts()
        expected.lastForeground = WallTime(milliseconds: 5)
        expected.missedCompletions = ["a": 3]
        #expect(try store.appFacts() == expected)
        #expect(try store.restoration().0.facts == expected)
        #expect(try store.restoration().0.lastLaunches.isEmpty)
    }
}
