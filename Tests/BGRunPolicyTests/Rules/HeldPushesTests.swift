// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@Suite("Held messages", .timeLimit(.minutes(5)))
struct HeldPushesTests {
    private static func message(
        _ id: Int64, _ collapseID: String? = nil, expires: Int64? = nil
    ) -> PushMessage {
        PushMessage(
            id: id, identifier: "a", payload: "{}", collapseID: collapseID,
            received: WallTime(milliseconds: id),
            expires: expires.map { WallTime(milliseconds: $0) })
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        /// The collapse ids of messages 1, 2, 3, ...
        var sent: [String?]
        var limit = 100
        var held: [Int64]
        var lost: [HeldPushes.Loss] = []
        var testDescription: String { name }
    }

    @Test(
        "include the newest without a collapse id and the newest of each collapse id",
        arguments: [
            Case(name: "one", sent: [nil], held: [1]),
            Case(
                name: "the newest replaces the one before", sent: [nil, nil, nil], held: [3],
                lost: [.collapsed, .collapsed]),
            Case(name: "each collapse id has its own", sent: ["x", "y", nil], held: [1, 2, 3]),
            Case(
                name: "the newest of a collapse id goes to the end", sent: ["x", "y", "x"],
                held: [2, 3], lost: [.collapsed]),
            Case(
                name: "above the ceiling the oldest falls out", sent: ["w", "x", nil, "y"],
                limit: 3, held: [2, 3, 4], lost: [.pushedOut]),
            Case(
                name: "one that takes another's place needs no room", sent: ["x", "y", "x"],
                limit: 2, held: [2, 3], lost: [.collapsed]),
            Case(
                name: "the newest is held whatever the ceiling", sent: ["x", nil], limit: 0,
                held: [2], lost: [.pushedOut]),
        ])
    func hold(_ one: Case) {
        var pushes = HeldPushes()
        var lost: [HeldPushes.Lost] = []
        for (index, collapseID) in one.sent.enumerated() {
            lost += pushes.hold(Self.message(Int64(index + 1), collapseID), limit: one.limit)
        }
        #expect(pushes.messages.map(\.id) == one.held)
        #expect(lost.map(\.loss) == one.lost)
        #expect(
            Set(lost.map(\.message.id)).union(one.held) == Set(1...Int64(one.sent.count)),
            "every message is held or told as lost")
    }

    @Test("lose the messages of an attempt, not those that arrived meanwhile")
    func deliver() {
        var pushes = HeldPushes([Self.message(1, "x"), Self.message(2)])
        let given = Set(pushes.messages.map(\.id))
        _ = pushes.hold(Self.message(3), limit: 100)
        #expect(pushes.deliver(given).map(\.id) == [1])
        #expect(pushes.messages.map(\.id) == [3])
    }

    @Test("are dropped at their expiration date, not before")
    func expire() {
        var pushes = HeldPushes([
            Self.message(1, "x", expires: 10), Self.message(2, "y", expires: 20), Self.message(3),
        ])
        #expect(pushes.nextExpiry == WallTime(milliseconds: 10))
        #expect(pushes.expire(at: WallTime(milliseconds: 9)).isEmpty)
        #expect(
            pushes.expire(at: WallTime(milliseconds: 10))
                == [HeldPushes.Lost(Self.message(1, "x", expires: 10), .expired)])
        #expect(pushes.nextExpiry == WallTime(milliseconds: 20))
        #expect(pushes.messages.map(\.id) == [2, 3])
    }

    @Test("are all discarded at once for the same reason")
    func discard() {
        var pushes = HeldPushes([Self.message(2), Self.message(1, "x")])
        #expect(pushes.discard(.forceQuit).map(\.message.id) == [1, 2])
        #expect(pushes.messages.isEmpty)
        #expect(pushes.nextExpiry == nil)
    }

    @Test("lose the messages of an attempt that is given up, not those that arrived since")
    func discardSome() {
        var pushes = HeldPushes([Self.message(1, "x"), Self.message(2)])
        #expect(pushes.discard(.gaveUp) { $0.id == 1 }.map(\.message.id) == [1])
        #expect(pushes.messages.map(\.id) == [2])
    }
}
