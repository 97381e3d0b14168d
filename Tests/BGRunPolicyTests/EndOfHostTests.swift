// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@Suite("Shutdown and --once", .timeLimit(.minutes(5)))
struct EndOfHostTests {
    @Test("a shutdown expires attempts, launches nothing and refuses new requests")
    func shutdown() {
        var world = World(["a", "b", "c"].map { .task($0) }, policy: .atOnce(2))
        for identifier in ["a", "b", "c"] { world.submit(identifier) }
        world.handle(.shutdown)
        #expect(world.expired == [.shutdown, .shutdown])
        #expect(world.submit("a") == .refused(.unavailable))
        world.handle(.trigger(Submission(identifier: "c"), ticket: 7))
        #expect(world.reply == .refused(.unavailable))
        world.end("a", .expired(.shutdown, reported: false))
        world.end("b")
        #expect(world.launched == [])
        #expect(world.engine.hasNoAttempt)
        #expect(world.engine.pendingRequests.map(\.identifier).sorted() == ["a", "c"])
    }

    @Test("a request that is pending at shutdown is stored and sets no timer")
    func stored() {
        var world = World([.task("a", every: .days(1)), .task("b", earliest: .hours(1))])
        world.submit("a")
        world.submit("b")
        world.handle(.shutdown)
        world.end("a")
        #expect(world.stored == [world.engine.pendingRequest("a")].compactMap { $0 })
        #expect(world.isPending("a") && world.isPending("b"))
        #expect(world.wake == nil)
    }

    @Test("the expiration ladder continues during a shutdown")
    func ladder() {
        var world = World([.task("a")])
        world.submit("a")
        world.handle(.shutdown)
        world.passUntilTimer()
        #expect(world.actions.contains(.terminate(attempt: 1)))
        world.passUntilTimer()
        #expect(world.actions.contains(.kill(attempt: 1)))
    }

    @Test("after admission is closed only requests that were pending are launched")
    func once() {
        var world = World(["a", "b", "c"].map { .task($0) }, policy: .atOnce(1))
        world.submit("a")
        world.submit("b")
        world.handle(.closeAdmission)
        world.submit("c")
        world.submit("a")
        world.end("a")
        #expect(world.launched == ["b"])
        world.end("b")
        #expect(world.launched == [])
        #expect(world.engine.pendingRequests.map(\.identifier) == ["c", "a"])
    }

    @Test("closing admission again admits no further request")
    func closedTwice() {
        var world = World([.task("a")])
        world.handle(.closeAdmission)
        world.submit("a")
        world.handle(.closeAdmission)
        #expect(world.launched == [])
    }

    @Test("a request that is no longer launched does not block those behind it")
    func hidden() {
        var world = World(["a", "b", "c"].map { .task($0) }, policy: .atOnce(1))
        world.submit("a")
        world.submit("b", delay: .seconds(30))
        world.handle(.closeAdmission)
        world.submit("c")
        world.handle(.timer, after: .seconds(30))
        world.end("a")
        #expect(world.launched == ["b"])
    }

    @Test("a request not admitted can be cancelled, and makes no wake-ups")
    func notAdmitted() {
        var world = World([.task("a")])
        world.handle(.closeAdmission)
        world.submit("a")
        #expect(world.wake == nil)
        #expect(world.engine.pendingReason("a", at: world.wall) == .notAdmitted)
        world.handle(.cancel(identifier: "a", ticket: 7))
        #expect(world.reply == .cancelled(1))
        #expect(world.engine.isIdle)
    }
}
