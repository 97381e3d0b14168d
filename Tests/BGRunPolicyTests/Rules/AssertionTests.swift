// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@Suite("Assertions", .timeLimit(.minutes(5)))
struct AssertionTests {
    /// A task that needs power, has reported, and holds assertion 1.
    private func asserting(policy: Policy = .apple, overlap: Overlap = .queue) -> World {
        var world = World(
            [.task("a", requires: .externalPower, overlap: overlap)], policy: policy,
            device: DeviceState(externalPower: .yes))
        world.submit("a")
        world.handle(.assertionBegan(attempt: 1, id: 1))
        world.handle(.attemptReported(attempt: 1))
        return world
    }

    static let revocations: [(Event, StopReason)] = [
        (.deviceChanged(DeviceState(externalPower: .no)), .powerLost),
        (
            .deviceChanged(DeviceState(externalPower: .yes, thermal: .critical)),
            .thermal
        ),
        (.shutdown, .shutdown),
        (.appForceQuit(ticket: nil), .cancelled),
        (.expire(identifier: "a", .quota, ticket: nil), .quota),
    ]

    @Test(
        "whatever takes away the time it holds open, what was reported is done and not run again",
        arguments: revocations)
    func revoked(_ event: Event, _ reason: StopReason) {
        var world = asserting()
        world.handle(event)
        #expect(world.expired == [reason])
        #expect(world.wake == world.elapsed + Interval.seconds(5).nanoseconds)
        world.end("a", .completed)
        #expect(world.engine.isIdle)
        #expect(world.stored == [])
        #expect(world.engine.appFacts.missedCompletions == [:], "not its fault")
    }

    @Test("held to its limit by a machine that slept, it is not its fault either")
    func slept() {
        var world = asserting()
        world.handle(.slept, after: .hours(1))
        #expect(world.expired == [.suspend])
        world.end("a", .completed)
        #expect(world.engine.appFacts.missedCompletions == [:])
    }

    @Test("one that begins while another holds time is held too, and adds none")
    func another() {
        var world = asserting()
        world.handle(.assertionBegan(attempt: 1, id: 2), after: .seconds(10))
        world.handle(.assertionEnded(attempt: 1, id: 1))
        #expect(world.engine.timeRemaining(attempt: 1, at: world.now) == .seconds(20))
        world.handle(.assertionEnded(attempt: 1, id: 2))
        #expect(world.engine.timeRemaining(attempt: 1, at: world.now) == .seconds(5), "its grace")
    }

    @Test("one that begins after the last was ended, or after the attempt was told, holds nothing")
    func tooLate() {
        for event in [Event.assertionEnded(attempt: 1, id: 1), .shutdown] {
            var world = asserting()
            world.handle(event)
            let terminateAt = world.elapsed + Interval.seconds(5).nanoseconds
            #expect(world.wake == terminateAt)
            world.handle(.assertionBegan(attempt: 1, id: 2), after: .seconds(1))
            #expect(world.wake == terminateAt)
            world.passUntilTimer()
            #expect(world.actions.contains(.terminate(attempt: 1)))
        }
    }

    @Test("an attempt that was told before its report gets no time from an assertion")
    func reportedTooLate() {
        var world = World([.task("a")])
        world.submit("a")
        world.handle(.assertionBegan(attempt: 1, id: 1))
        world.handle(.expire(identifier: "a", .cancelled, ticket: nil))
        let terminateAt = world.wake
        world.handle(.attemptReported(attempt: 1), after: .seconds(1))
        #expect(world.wake == terminateAt)
    }

    @Test("held to the limit, it delays the next launch of its task; ended in time, it does not")
    func penalty() {
        for isLeaked in [true, false] {
            var world = asserting()
            let launched = world.wall
            if isLeaked { world.passUntilTimer() }
            world.handle(.assertionEnded(attempt: 1, id: 1))
            world.end("a", .completed)
            world.submit("a")
            let delay: PendingReason? = .factor(
                .rateLimit, until: launched.advanced(by: .minutes(15)))
            #expect(world.reason("a") == (isLeaked ? delay : nil))
            #expect(world.isRunning("a") == !isLeaked)
        }
    }

    @Test("a limit of zero lets nothing go on")
    func zero() {
        var policy = Policy.apple
        policy.assertionLimit = .zero
        #expect(asserting(policy: policy).expired == [.time])
    }

    @Test("overlap: replace and expire-old take the time away, the others leave it")
    func overlaps() {
        for overlap in Overlap.allCases {
            var world = asserting(overlap: overlap)
            world.submit("a")
            let isTaken = overlap == .replace || overlap == .expireOld
            #expect(world.expired == (isTaken ? [.preempted] : []), "\(overlap)")
        }
    }
}
