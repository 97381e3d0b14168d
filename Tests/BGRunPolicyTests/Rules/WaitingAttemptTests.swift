// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@Suite("An attempt that waits for the worker with its handler", .timeLimit(.minutes(5)))
struct WaitingAttemptTests {
    /// A world in which "a" waits for its worker, and the others run.
    private func waiting(
        _ others: String..., policy: Policy = .atOnce(3)
    ) throws -> (World, attempt: Int64) {
        var policy = policy
        policy.concurrencyLimits.continued = 3
        var world = World(
            (["a"] + others).map { .task($0, kind: .continued, timeLimit: .minutes(2)) },
            policy: policy)
        for identifier in ["a"] + others { world.submit(identifier) }
        let attempt = try #require(world.engine.runningAttempt("a")).id
        world.handle(.attemptWaits(attempt: attempt))
        return (world, attempt)
    }

    @Test("has no time limit and does not stall until it begins; then it has all of its time")
    func time() throws {
        var policy = Policy.atOnce(3)
        (policy.stallWarning, policy.stallLimit) = (.minutes(3), .minutes(3))
        var (world, attempt) = try waiting(policy: policy)
        #expect(world.engine.runningState(attempt)?.rung == .waiting)
        #expect(world.engine.runningState(attempt)?.until == nil)
        world.handle(.timer, after: .hours(1))
        #expect(world.records == [] && world.expired == [] && world.wake == nil)
        #expect(world.engine.timeRemaining(attempt: attempt, at: world.now) == .minutes(2))
        world.handle(.attemptBegan(attempt: attempt))
        let state = try #require(world.engine.runningState(attempt))
        #expect(state.rung.name == "granted" && state.rung.reason == .time)
        #expect(state.until == world.wall.advanced(by: .minutes(2)))
        world.handle(.timer, after: .milliseconds(119_000))
        #expect(world.expired == [])
        world.handle(.timer, after: .seconds(1))
        #expect(world.expired == [.time])
    }

    @Test("must make progress once it has begun")
    func stall() throws {
        var (world, attempt) = try waiting(policy: .apple)
        world.handle(.attemptBegan(attempt: attempt), after: .minutes(1))
        world.passUntilTimer()
        #expect(world.records == [.stalling(identifier: "a", attempt: attempt, left: .seconds(15))])
        world.passUntilTimer()
        #expect(world.expired == [.stalled])
    }

    @Test("can be expired, and does not begin afterwards")
    func expire() throws {
        var (world, attempt) = try waiting()
        world.handle(.expire(identifier: "a", .cancelled, ticket: nil))
        #expect(world.expired == [.cancelled])
        world.handle(.attemptBegan(attempt: attempt))
        let rung = world.engine.runningState(attempt)?.rung
        #expect(rung?.name == "expiring" && rung?.reason == .cancelled)
        world.end("a", .expired(.cancelled, reported: false))
        #expect(world.engine.isIdle)
    }

    @Test("is expired by a shutdown, with a grace that ends")
    func shutdown() throws {
        var (world, attempt) = try waiting()
        world.handle(.shutdown)
        #expect(world.expired == [.shutdown])
        while world.passUntilTimer() {}
        #expect(world.actions.contains(.kill(attempt: attempt)))
    }

    @Test("does not yield to contention, and spares no other attempt")
    func contention() throws {
        var (world, _) = try waiting("b", "c")
        let second = try #require(world.engine.runningAttempt("b")).id
        world.handle(.progress(attempt: second, completed: 1, total: 2))
        world.handle(.deviceChanged(DeviceState(pressure: .no)))
        world.handle(.deviceChanged(DeviceState(pressure: .yes)))
        #expect(world.expired == [.pressure])
        let rung = world.engine.runningState(second)?.rung
        #expect(rung?.name == "granted" && rung?.reason == .time)
        world.end("c", .expired(.pressure, reported: false))
        // The last running attempt continues.
        #expect(world.expired == [])
    }

    @Test("begins at the reported time, also if the store was busy then")
    func late() throws {
        var world = World([.task("a", kind: .continued, timeLimit: .minutes(2))])
        world.submit("a")
        let attempt = try #require(world.engine.runningAttempt("a")).id
        let waits = world.now
        world.pass(.minutes(5))
        let began = world.now
        world.pass(.seconds(10))
        world.handle(.late(.attemptWaits(attempt: attempt), arrived: waits))
        world.handle(.late(.attemptBegan(attempt: attempt), arrived: began))
        #expect(world.expired == [])
        #expect(
            world.engine.timeRemaining(attempt: attempt, at: world.now)
                == .seconds(110))
        world.handle(.timer, after: .seconds(5))
        #expect(world.records == [.stalling(identifier: "a", attempt: attempt, left: .seconds(15))])
    }

    @Test("does not begin twice, or if it is unknown")
    func again() throws {
        var (world, attempt) = try waiting()
        world.handle(.attemptBegan(attempt: attempt))
        world.handle(.attemptBegan(attempt: attempt), after: .seconds(10))
        #expect(world.engine.timeRemaining(attempt: attempt, at: world.now) == .seconds(110))
        #expect(world.handle(.attemptWaits(attempt: 99)) == [])
        #expect(world.handle(.attemptBegan(attempt: 99)) == [])
    }
}
