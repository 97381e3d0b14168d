// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@testable import BGRunHost
@testable import BGRunPushes

@Suite("The messages of a host")
struct PushDeskTests {
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

    /// Takes in a message; the request it makes has the number of its ticket.
    private static func take(_ offer: PushOffer, _ ticket: Ticket, into desk: inout PushDesk) {
        _ = desk.submit(offer, ticket: ticket, at: date(1))
        let reply = Reply.accepted(request(Int64(ticket)), replaced: nil)
        #expect(desk.answered(ticket, reply, limit: 100) != nil)
    }

    @Test("a message whose request is refused is not held, and its id is not used again")
    func refused() {
        var desk = PushDesk([], nextID: 4)
        #expect(desk.submit(Self.offer(), ticket: 1, at: Self.date(1)).id == 4)
        #expect(desk.answered(1, .refused(.unavailable), limit: 100) == nil)
        #expect(desk.held.isEmpty)
        #expect(desk.submit(Self.offer(), ticket: 2, at: Self.date(1)).id == 5)
    }

    @Test("an attempt is given what is held, and takes with it what it has completed")
    func given() {
        var desk = PushDesk([], nextID: 1)
        Self.take(Self.offer("x"), 1, into: &desk)
        #expect(desk.give(to: Self.attempt(7)).map(\.id) == [1])
        Self.take(Self.offer("y"), 2, into: &desk)
        desk.note(.noData, of: 7)
        #expect(desk.deliver(to: 7, of: "a").map(\.id) == [1])
        #expect(desk.end(7) == .noData)
        #expect(desk.held["a"]?.messages.map(\.id) == [2])
        #expect(desk.given(to: 7).isEmpty)
    }

    @Test("the next expiry is that of the message that expires first, whichever came first")
    func nextExpiry() {
        var desk = PushDesk([], nextID: 1)
        Self.take(Self.offer("x", expires: 100), 1, into: &desk)
        Self.take(Self.offer("y", expires: 200), 2, into: &desk)
        #expect(desk.nextExpiry == Self.date(100))
        #expect(desk.expire(at: Self.date(100)).lost.map(\.message.id) == [1])
        #expect(desk.nextExpiry == Self.date(200))
        Self.take(Self.offer("z", expires: 150), 3, into: &desk)
        #expect(desk.nextExpiry == Self.date(150))
    }

    @Test("an attempt that did not complete takes nothing")
    func kept() {
        var desk = PushDesk([], nextID: 1)
        Self.take(Self.offer(), 1, into: &desk)
        _ = desk.give(to: Self.attempt(7))
        #expect(desk.end(7) == nil)
        #expect(desk.given(to: 7).isEmpty)
        #expect(desk.give(to: Self.attempt(8)).map(\.id) == [1])
    }

    /// One message is in the hand of attempt 7, a newer one waits.
    private static func oneInHand() -> PushDesk {
        var desk = PushDesk([], nextID: 1)
        take(offer("x"), 1, into: &desk)
        _ = desk.give(to: attempt(7))
        take(offer("y"), 2, into: &desk)
        return desk
    }

    @Test("cancelling a request drops the waiting values, not those of the running attempt")
    func cancelled() {
        var desk = Self.oneInHand()
        #expect(desk.discardWaiting("a", .cancelled).map(\.message.id) == [2])
        #expect(desk.held["a"]?.messages.map(\.id) == [1])
        #expect(desk.deliver(to: 7, of: "a").map(\.id) == [1])
    }

    @Test("giving up drops the values of the attempt, or all without an attempt")
    func givenUp() {
        var desk = Self.oneInHand()
        #expect(desk.discardGivenUp("a").map(\.message.id) == [1])
        #expect(desk.held["a"]?.messages.map(\.id) == [2])
        _ = desk.end(7)
        #expect(desk.discardGivenUp("a").map(\.message.id) == [2])
        #expect(desk.held.isEmpty)
    }

    @Test("the newest request ends with the last message, whichever expires last")
    func expired() {
        var desk = PushDesk([], nextID: 1)
        Self.take(Self.offer("x", expires: 20), 1, into: &desk)
        Self.take(Self.offer("y", expires: 10), 2, into: &desk)
        #expect(desk.nextExpiry == Self.date(10))
        let first = desk.expire(at: Self.date(10))
        #expect(first.lost.map(\.message.id) == [2])
        #expect(first.ended.isEmpty)
        #expect(desk.nextExpiry == Self.date(20))
        let second = desk.expire(at: Self.date(20))
        #expect(second.ended.map(\.request) == [2])
        #expect(desk.nextExpiry == nil)
        #expect(desk.held.isEmpty)
    }

    @Test("a host that starts knows what the one before held")
    func restored() {
        let messages = [3, 1].map { id in
            PushMessage(
                id: id, identifier: "a", payload: "{}", collapseID: "\(id)",
                received: Self.date(1), expires: Self.date(10 * id), request: id)
        }
        var desk = PushDesk(messages, nextID: 4)
        #expect(desk.held["a"]?.messages.map(\.id) == [1, 3])
        #expect(desk.nextExpiry == Self.date(10))
        #expect(desk.expire(at: Self.date(99)).ended.map(\.request) == [3])
        #expect(desk.discardAll(.forceQuit).isEmpty)
    }
}
