// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@Suite("A launch that waited for the store", .timeLimit(.minutes(5)))
struct DelayedLaunchTests {
    private func delay(_ world: inout World, by wait: Interval = .seconds(30)) {
        world.pass(wait)
        world.handle(.launchesDelayed(world.engine.runningAttempt("a").map { [$0.id] } ?? []))
    }

    @Test("has its whole time after the wait")
    func time() throws {
        var world = World([.task("a", timeLimit: .seconds(10))], policy: .atOnce(1))
        world.submit("a")
        delay(&world)
        #expect(world.expired == [] && world.launched == [])
        let attempt = try #require(world.engine.runningAttempt("a"))
        #expect(attempt.launched == world.now)
        #expect(attempt.deadlineElapsed == world.elapsed + Interval.seconds(10).nanoseconds)
        world.handle(.timer, after: .milliseconds(9_900))
        #expect(world.expired == [])
        world.handle(.timer, after: .milliseconds(100))
        #expect(world.expired == [.time])
    }

    @Test("spends no budget during the wait, and has its full share afterwards")
    func budget() {
        var world = World.pushes("a")
        world.submit("a")
        let end =
            world.elapsed + Interval.seconds(30).nanoseconds + Interval.minutes(10).nanoseconds
        delay(&world)
        while world.expired == [], world.passUntilTimer() {}
        #expect(world.expired == [.quota] && world.elapsed == end)
        world.handle(.deviceChanged(DeviceState(externalPower: .yes)))
        #expect(world.engine.appFacts.budget.spent == .minutes(10))
    }

    @Test("does not count as stalled")
    func progress() throws {
        var policy = Policy.atOnce(1)
        policy.stallWarning = .seconds(5)
        policy.stallLimit = .seconds(10)
        var world = World(
            [.task("a", kind: .continued, timeLimit: .minutes(5))], policy: policy)
        world.submit("a")
        try #require(world.isRunning("a"))
        delay(&world)
        world.handle(.timer, after: .seconds(4))
        #expect(world.records == [] && world.expired == [])
        world.handle(.timer, after: .seconds(6))
        #expect(world.expired == [.stalled])
    }

    @Test("spaces the next launch from the end of the wait until it is revoked")
    func spacing() {
        var world = World([.task("a", kind: .push)])
        world.submit("a")
        delay(&world)
        let first = world.wall
        #expect(world.engine.appFacts.spacedFrom["a"] == first)
        #expect(world.engine.appFacts.pushLaunches == [first])
        #expect(world.remembered["spaced:a"] == first.milliseconds)
        world.end("a", after: .seconds(5))
        world.pass(.hours(2))
        world.submit("a")
        delay(&world)
        #expect(world.engine.appFacts.pushLaunches.last == world.wall)
        world.handle(.shutdown)
        world.end("a", .expired(.shutdown, reported: nil))
        #expect(world.engine.appFacts.spacedFrom["a"] == first)
        #expect(
            world.engine.appFacts.pushLaunches == [first]
                || world.engine.appFacts.pushLaunches == [])
    }

    @Test("starts the period of the changed manifest")
    func period() {
        var world = World([.task("a")])
        world.submit("a")
        delay(&world)
        world.end("a")
        world.handle(.manifestChanged(stopping: []))
        world.reload([.task("a", every: .hours(1), submission: .launch)])
        world.handle(.manifestLoaded(added: ["a"]))
        #expect(world.delay(of: "a") == .hours(1))
    }

    @Test("spends no budget during the wait, even if another attempt reports its end late")
    func lateEnd() throws {
        var world = World.pushes("a", "b", policy: .atOnce(2))
        world.submit("a")
        world.submit("b")
        let first = try #require(world.engine.runningAttempt("a")).id
        let second = try #require(world.engine.runningAttempt("b")).id
        let begin = world
        world.pass(.seconds(60))
        world.handle(.launchesDelayed([second]))
        let launched = (world.elapsed, world.wall)
        (world.elapsed, world.wall) = (begin.elapsed, begin.wall)
        world.pass(.seconds(10))
        let ended = world.now
        (world.elapsed, world.wall) = launched
        world.handle(.late(.attemptEnded(attempt: first, .completed), arrived: ended))
        #expect(world.launched == [] && world.expired == [])
        world.handle(.timer, after: .seconds(5))
        world.handle(.deviceChanged(DeviceState(externalPower: .yes)))
        // A part of the spent budget has been refilled.
        let spent = world.engine.appFacts.budget.spent
        #expect(spent > .seconds(14) && spent <= .seconds(15))
        #expect(world.isRunning("b"))
    }

    @Test("is withdrawn when the host is ending: its request is pending again")
    func end() throws {
        var world = World([.task("a"), .task("b")], policy: .atOnce(1))
        world.submit("a")
        world.submit("b")
        let attempt = try #require(world.engine.runningAttempt("a")).id
        let actions = world.handle(.launchesEnd(withdrawn: [attempt, 99]))
        #expect(actions.contains(.withdraw(attempt: attempt)))
        #expect(world.engine.isEnding && world.engine.hasNoAttempt)
        #expect(world.engine.pendingCount == 2 && world.records == [])
        world.handle(.timer, after: .hours(1))
        #expect(world.launched == [])
    }

    @Test("changes nothing if its attempt is unknown")
    func unknown() {
        var world = World([.task("a")])
        #expect(world.handle(.launchesDelayed([7])) == [])
    }
}
