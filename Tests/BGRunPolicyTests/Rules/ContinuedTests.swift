// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@Suite("Continued work and assertions", .timeLimit(.minutes(5)))
struct ContinuedTests {
    private func attempt(_ world: World, _ identifier: String) throws -> Int64 {
        try #require(world.engine.runningAttempt(identifier)).id
    }

    @Test("continued work needs no mode and starts at once, whatever its delay")
    func atOnce() {
        var world = World([.task("a", kind: .continued, earliest: .hours(1))], modes: [])
        world.submit("a", delay: .hours(2))
        #expect(world.launched == ["a"])
    }

    @Test("with strategy queue a request waits for a free slot, independently of other kinds")
    func queue() throws {
        var world = World(
            [.task("a", kind: .continued), .task("b", kind: .continued), .task("p")],
            policy: .atOnce(1))
        world.submit("p")
        world.submit("a")
        world.submit("b")
        #expect(world.isRunning("p") && world.isRunning("a"))
        #expect(
            world.engine.pendingReason("b", at: world.wall) == .kindLimit(.continued, limit: 1))
        world.end("a")
        #expect(world.launched == ["b"])
    }

    @Test("with strategy fail a request that cannot start at once is refused with Apple's code 4")
    func fail() throws {
        var world = World([
            .task("a", kind: .continued),
            .task("b", kind: .continued, requires: .gpu, strategy: .fail),
        ])
        world.submit("b")
        guard case .refused(let refusal) = world.reply else {
            Issue.record("accepted without a GPU")
            return
        }
        #expect(refusal.code == 4)
        #expect(refusal.message.contains("waits for gpu: true"))
        #expect(world.engine.isIdle && world.stored.isEmpty)
        world.handle(.deviceChanged(DeviceState(gpu: .yes)))
        world.submit("a")
        world.submit("b")
        guard case .refused(.notImmediately) = world.reply else {
            Issue.record("accepted without room")
            return
        }
        world.end("a")
        world.submit("b")
        #expect(world.launched == ["b"])
    }

    @Test("without progress a warning follows after 15 s and expiration as stalled after 30 s")
    func stall() throws {
        var world = World([.task("a", kind: .continued)])
        world.submit("a")
        let id = try attempt(world, "a")
        world.passUntilTimer()
        #expect(world.records == [.stalling(identifier: "a", attempt: id, left: .seconds(15))])
        world.passUntilTimer()
        #expect(world.expired == [.stalled])
        #expect(world.elapsed == World([]).elapsed + Interval.seconds(30).nanoseconds)
    }

    @Test("progress moves the deadline; the same value does not")
    func progress() throws {
        var world = World([.task("a", kind: .continued)])
        world.submit("a")
        let id = try attempt(world, "a")
        for count: Int64 in 1...5 {
            world.handle(
                .progress(attempt: id, completed: count, total: 100), after: .seconds(14))
            #expect(world.records == [] && world.expired == [])
        }
        world.handle(.progress(attempt: id, completed: 5, total: 100), after: .seconds(16))
        #expect(world.records == [.stalling(identifier: "a", attempt: id, left: .seconds(14))])
        world.handle(.progress(attempt: id, completed: 6, total: 100))
        world.passUntilTimer()
        #expect(world.records == [.stalling(identifier: "a", attempt: id, left: .seconds(15))])
    }

    @Test("other kinds need no progress")
    func others() {
        var world = World([.task("a")])
        world.submit("a")
        world.handle(.timer, after: .minutes(5))
        #expect(world.expired == [])
    }

    @Test("an assertion holds time open after the report, until it ends")
    func assertion() throws {
        var world = World([.task("a")])
        world.submit("a")
        let id = try attempt(world, "a")
        world.handle(.assertionBegan(attempt: id, id: 1))
        world.handle(.attemptReported(attempt: id))
        #expect(world.engine.timeRemaining(attempt: id, at: world.now) == .seconds(30))
        world.handle(.timer, after: .seconds(20))
        #expect(world.engine.timeRemaining(attempt: id, at: world.now) == .seconds(10))
        world.handle(.assertionEnded(attempt: id, id: 1))
        #expect(world.wake == world.elapsed + Interval.seconds(5).nanoseconds)
        world.passUntilTimer()
        #expect(world.actions.contains(.terminate(attempt: id)))
    }

    @Test("an assertion that does not end in time expires, and counts as a missed completion")
    func leaked() throws {
        var world = World([.task("a")])
        world.submit("a")
        let id = try attempt(world, "a")
        for assertion: Int64 in 1...2 { world.handle(.assertionBegan(attempt: id, id: assertion)) }
        world.handle(.attemptReported(attempt: id))
        world.handle(.assertionEnded(attempt: id, id: 2))
        world.passUntilTimer()
        #expect(world.expired == [.time])
        world.end("a", .completed)
        #expect(world.engine.appFacts.missedCompletions == ["a": 1])
    }

    @Test("work that must start at once is given up when its time is revoked")
    func onlyImmediate() {
        for strategy in Strategy.allCases {
            var world = World([.task("a", kind: .continued, strategy: strategy)])
            world.submit("a")
            world.end("a", .expired(.thermal, reported: nil))
            #expect(world.isRunning("a") == (strategy == .queue))
        }
    }
}
