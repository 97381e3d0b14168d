// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunStorage
import Testing

@Suite("Stored pushes", .timeLimit(.minutes(10)))
struct PushStoreTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    static func message(
        _ id: Int64, _ identifier: String = "a", collapseID: String? = nil, request: Int64 = 1
    ) -> PushMessage {
        PushMessage(
            id: id, identifier: identifier, payload: "{\"aps\":{\"content-available\":1}}",
            collapseID: collapseID, priority: 5, received: WallTime(milliseconds: 7),
            expires: WallTime(milliseconds: id * 10), request: request)
    }

    @Test("messages are read unchanged and in order until they are dropped")
    func held() throws {
        var unlimited = Self.message(3, "b", collapseID: "é")
        unlimited.expires = nil
        let messages = [Self.message(1), Self.message(2, "b"), unlimited]
        try scratch.open().apply(messages.reversed().map { .holdPush($0) }, durability: .full)
        let store = try scratch.open()
        #expect(try store.heldPushes() == messages)
        #expect(try store.heldPushes(of: "b").map(\.id) == [2, 3])
        try store.apply([.dropPush(id: 2), .dropPush(id: 9)], durability: .normal)
        #expect(try scratch.open().heldPushes().map(\.id) == [1, 3])
    }

    @Test("the id of a message is never reused, regardless of its end")
    func ids() throws {
        let store = try scratch.open()
        #expect(try store.nextPushID() == 1)
        try store.apply([.holdPush(Self.message(4))], durability: .normal)
        #expect(try store.nextPushID() == 5)
        try store.apply([.nextPush(id: 8), .dropPush(id: 4)], durability: .normal)
        #expect(try scratch.open().nextPushID() == 8)
        #expect(try store.restoration().0.nextRequestID == 1, "ids of requests are others")
    }

    @Test("the result of a push is in the history", arguments: FetchResult.allCases)
    func result(_ result: FetchResult) throws {
        let store = try scratch.open()
        let request = TaskRequest.sample(1, "a", kind: .push)
        let attempt = Attempt(
            id: 1, request: request, declaration: "a", deadlineElapsed: 9,
            launched: Instant(elapsed: 1, wall: WallTime(milliseconds: 1)))
        let end = Instant(elapsed: 2, wall: WallTime(milliseconds: 2))
        try store.apply(
            [
                .putRequest(request), .beginAttempt(attempt, worker: nil),
                .endAttempt(
                    attempt: 1, .completed, message: nil, at: end, entered: nil, outputDropped: 0),
                .fetched(attempt: 1, result),
            ], durability: .normal)
        #expect(try scratch.open().history(limit: 9).map(\.result) == [result])
    }
}
