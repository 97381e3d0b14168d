// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@testable import BGRunHost
@testable import BGRunPushes

@Suite("The messages of a host", .timeLimit(.minutes(10)))
struct PushQueueTests {
    private static func date(_ milliseconds: Int64) -> WallTime {
        WallTime(milliseconds: milliseconds)
    }

    private static func offer(_ collapseID: String? = nil, expires: Int64? = nil) -> PushOffer {
        PushOffer(
            identifier: "a", payload: "{}", payloadBytes: 2, aps: nil, collapseID: collapseID,
            expires: expires.map(date))
    }

    private static func request(_ id: Int64) -> TaskRequest {
        TaskRequest(id: id, identifier: "a", kind: .push, submitted: date(1))
    }

    private static func attempt(_ id: Int64) -> Attempt {
        Attempt(
            id: id, request: request(1), declaration: "a", deadlineElapsed: 9,
            launched: Instant(elapsed: 1, wall: date(1)))
    }

    /// Adds a message; its request has the number of its ticket.
    private static func take(_ offer: PushOffer, _ ticket: Ticket, into queue: inout PushQueue) {
        _ = queue.submit(offer, ticket: ticket, at: date(1))
        let reply = Reply.accepted(request(Int64(ticket)), replaced: nil)
        #expect(queue.answered(ticket, reply, limit: 100) != nil)
    }

    @Test("a message whose request is refused is not held, and its id is not used again")
    func refused() {
        var queue = PushQueue([], nextID: 4)
        #expect(queue.submit(Self.offer(), ticket: 1, at: Self.date(1)).id == 4)
        #expect(queue.answered(1, .refused(.unavailable), limit: 100) == nil)
        #expect(queue.held.isEmpty)
        #expect(queue.submit(Self.offer(), ticket: 2, at: Self.date(1)).id == 5)
    }

    @Test("an attempt receives the held messages, and removes them when it completes")
    func given() {
        var queue = PushQueue([], nextID: 1)
        Self.take(Self.offer("x"), 1, into: &queue)
        #expect(queue.give(to: Self.attempt(7)).map(\.id) == [1])
        Self.take(Self.offer("y"), 2, into: &queue)
        queue.note(.noData, of: 7)
        #expect(queue.deliver(to: 7, of: "a").map(\.id) == [1])
        #expect(queue.end(7) == .noData)
        #expect(queue.held["a"]?.messages.map(\.id) == [2])
        #expect(queue.given(to: 7).isEmpty)
    }

    @Test("the next expiry is that of the message that expires first, in any order of arrival")
    func nextExpiry() {
        var queue = PushQueue([], nextID: 1)
        Self.take(Self.offer("x", expires: 100), 1, into: &queue)
        Self.take(Self.offer("y", expires: 200), 2, into: &queue)
        #expect(queue.nextExpiry == Self.date(100))
        #expect(queue.expire(at: Self.date(100)).lost.map(\.message.id) == [1])
        #expect(queue.nextExpiry == Self.date(200))
        Self.take(Self.offer("z", expires: 150), 3, into: &queue)
        #expect(queue.nextExpiry == Self.date(150))
    }

    @Test("an attempt that does not complete removes nothing")
    func kept() {
        var queue = PushQueue([], nextID: 1)
        Self.take(Self.offer(), 1, into: &queue)
        _ = queue.give(to: Self.attempt(7))
        #expect(queue.end(7) == nil)
        #expect(queue.given(to: 7).isEmpty)
        #expect(queue.give(to: Self.attempt(8)).map(\.id) == [1])
    }

    /// A queue in which attempt 7 has one message, and a newer one waits.
    private static func oneInHand() -> PushQueue {
        var queue = PushQueue([], nextID: 1)
        take(offer("x"), 1, into: &queue)
        _ = queue.give(to: attempt(7))
        take(offer("y"), 2, into: &queue)
        return queue
    }

    @Test("cancelling a request drops the waiting values, not those of the running attempt")
    func cancelled() {
        var queue = Self.oneInHand()
        #expect(queue.discardWaiting("a", .cancelled).map(\.message.id) == [2])
        #expect(queue.held["a"]?.messages.map(\.id) == [1])
        #expect(queue.deliver(to: 7, of: "a").map(\.id) == [1])
    }

    @Test("giving up drops the values of the attempt, or all without an attempt")
    func givenUp() {
        var queue = Self.oneInHand()
        #expect(queue.discardGivenUp("a").map(\.message.id) == [1])
        #expect(queue.held["a"]?.messages.map(\.id) == [2])
        _ = queue.end(7)
        #expect(queue.discardGivenUp("a").map(\.message.id) == [2])
        #expect(queue.held.isEmpty)
    }

    @Test("the newest request ends with the last message, whichever expires last")
    func expired() {
        var queue = PushQueue([], nextID: 1)
        Self.take(Self.offer("x", expires: 20), 1, into: &queue)
        Self.take(Self.offer("y", expires: 10), 2, into: &queue)
        #expect(queue.nextExpiry == Self.date(10))
        let first = queue.expire(at: Self.date(10))
        #expect(first.lost.map(\.message.id) == [2])
        #expect(first.ended.isEmpty)
        #expect(queue.nextExpiry == Self.date(20))
        #expect(queue.expire(at: Self.date(20)).ended.map(\.request) == [2])
        #expect(queue.nextExpiry == nil)
        #expect(queue.held.isEmpty)
    }

    @Test("a host that starts has the messages of its predecessor")
    func restored() {
        let messages = [3, 1].map { id in
            PushMessage(
                id: id, identifier: "a", payload: "{}", collapseID: "\(id)",
                received: Self.date(1), expires: Self.date(10 * id), request: id)
        }
        var queue = PushQueue(messages, nextID: 4)
        #expect(queue.held["a"]?.messages.map(\.id) == [1, 3])
        #expect(queue.nextExpiry == Self.date(10))
        #expect(queue.expire(at: Self.date(99)).ended.map(\.request) == [3])
        #expect(queue.discardAll(.forceQuit).isEmpty)
    }
}
