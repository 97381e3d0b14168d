// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@Suite("A request whose identifier is running", .timeLimit(.minutes(5)))
struct OverlapTests {
    private func running(_ overlap: Overlap) -> World {
        var world = World([.task("a", grace: .seconds(3), overlap: overlap)])
        world.submit("a")
        return world
    }

    @Test("skip: is refused")
    func skip() throws {
        var world = running(.skip)
        let attempt = try #require(world.engine.runningAttempt("a"))
        #expect(
            world.submit("a") == .refused(.alreadyRunning(identifier: "a", attempt: attempt.id)))
        world.end("a")
        #expect(!world.isPending("a") && !world.isRunning("a"))
    }

    @Test("queue: waits for the end of the attempt, then runs")
    func queue() {
        var world = running(.queue)
        world.submit("a")
        #expect(world.isPending("a"))
        #expect(world.expired == [])
        world.end("a")
        #expect(world.launched == ["a"])
    }

    @Test("replace: sends expiration and SIGTERM to the attempt at once, then runs")
    func replace() throws {
        var world = running(.replace)
        let attempt = try #require(world.engine.runningAttempt("a")).id
        world.submit("a")
        #expect(world.expired == [.preempted])
        #expect(world.actions.contains(.terminate(attempt: attempt)))
        #expect(world.launched == [])
        world.end("a", .expired(.preempted, reported: nil))
        #expect(world.launched == ["a"])
    }

    @Test("replace: does not shorten the grace of an attempt that already expires")
    func alreadyExpiring() throws {
        var world = running(.replace)
        let attempt = try #require(world.engine.runningAttempt("a")).id
        world.handle(.expire(identifier: "a", .thermal, ticket: nil))
        world.submit("a")
        #expect(world.expired == [])
        #expect(!world.actions.contains(.terminate(attempt: attempt)))
        #expect(world.wake == world.elapsed + Interval.seconds(3).nanoseconds)
        world.end("a", .expired(.thermal, reported: true))
        #expect(world.launched == ["a"])
    }

    @Test("expire-old: expires the attempt with its grace, then runs")
    func expireOld() throws {
        var world = running(.expireOld)
        let attempt = try #require(world.engine.runningAttempt("a")).id
        world.submit("a")
        #expect(world.expired == [.preempted])
        #expect(!world.actions.contains(.terminate(attempt: attempt)))
        #expect(world.wake == world.elapsed + Interval.seconds(3).nanoseconds)
        world.end("a", .expired(.preempted, reported: true))
        #expect(world.launched == ["a"])
    }

    @Test(
        "ends nothing before its date",
        arguments: [Overlap.queue, .replace, .expireOld])
    func notYet(overlap: Overlap) {
        var world = running(overlap)
        world.submit("a", delay: .minutes(1))
        #expect(world.expired == [])
        world.handle(.timer, after: .minutes(1))
        #expect(world.expired == (overlap == .queue ? [] : [.preempted]))
        #expect(world.launched == [])
    }

    @Test("ends nothing while its conditions do not hold")
    func notNow() {
        var world = World([.task("a", requires: .idle, overlap: .replace)])
        world.handle(.trigger(Submission(identifier: "a"), ticket: nil))
        world.submit("a")
        #expect(world.expired == [])
        world.handle(.deviceChanged(DeviceState(userIdle: .yes)))
        #expect(world.expired == [.preempted])
    }

    @Test("ends nothing if this host does not launch it any more")
    func notAdmitted() {
        var world = running(.replace)
        world.handle(.closeAdmission)
        world.submit("a")
        #expect(world.expired == [])
    }

    @Test("can be cancelled and replaced while it waits for the attempt")
    func parked() {
        var world = running(.queue)
        world.submit("a")
        world.submit("a", parameters: "{\"n\":2}")
        world.end("a")
        #expect(world.engine.runningAttempt("a")?.request.parameters == "{\"n\":2}")
        world.submit("a")
        world.handle(.cancel(identifier: "a", ticket: nil))
        world.end("a")
        #expect(world.launched == [])
        #expect(world.engine.isIdle)
    }

    @Test("replaces a retry and a requeue if it was submitted during the attempt, and is recorded")
    func superseded() throws {
        var world = World([.task("a", retry: RetryRule())])
        for outcome in [Outcome.failed, .expired(.shutdown, reported: nil)] {
            world.submit("a")
            world.submit("a", delay: .hours(1))
            let next = try #require(world.engine.pendingRequest("a"))
            let old = try #require(world.engine.runningAttempt("a")?.request)
            world.end("a", outcome)
            #expect(world.engine.pendingRequests == [next])
            #expect(world.records.contains(.superseded(old, by: next.id)))
            world.handle(.cancelAll(ticket: nil))
        }
    }
}
