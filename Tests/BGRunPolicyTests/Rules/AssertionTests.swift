// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BGRunPolicy

@Suite("Assertions", .timeLimit(.minutes(5)))
struct AssertionTests {
    /// A world in which a task that needs power has reported and holds assertion 1.
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
        "a report is final, whatever ends the time that an assertion holds open",
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

    @Test(
        "an assertion that reaches its limit because the machine slept is not a missed completion")
    func slept() {
        var world = asserting()
        world.handle(.slept, after: .hours(1))
        #expect(world.expired == [.suspend])
        world.end("a", .completed)
        #expect(world.engine.appFacts.missedCompletions == [:])
    }

    @Test("a further assertion is held as well, and adds no time")
    func another() {
        var world = asserting()
        world.handle(.assertionBegan(attempt: 1, id: 2), after: .seconds(10))
        world.handle(.assertionEnded(attempt: 1, id: 1))
        let end = world.elapsed + Interval.seconds(20).nanoseconds
        #expect(world.engine.running.first?.rung == .asserting(until: end))
        world.handle(.assertionEnded(attempt: 1, id: 2))
        let grace = Interval.seconds(5).nanoseconds
        #expect(
            world.engine.running.first?.rung == .reported(terminateAt: world.elapsed + grace))
    }

    @Test("an assertion after the end of the last one, or after the expiration, holds no time")
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

    @Test("an attempt that was told to expire before its report gets no time from an assertion")
    func reportedTooLate() {
        var world = World([.task("a")])
        world.submit("a")
        world.handle(.assertionBegan(attempt: 1, id: 1))
        world.handle(.expire(identifier: "a", .cancelled, ticket: nil))
        let terminateAt = world.wake
        world.handle(.attemptReported(attempt: 1), after: .seconds(1))
        #expect(world.wake == terminateAt)
    }

    @Test("an assertion held to its limit delays the next launch; one that ends in time does not")
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

    @Test("a limit of zero permits no time")
    func zero() {
        var policy = Policy.apple
        policy.assertionLimit = .zero
        #expect(asserting(policy: policy).expired == [.time])
    }

    @Test("the overlaps replace and expire-old revoke the time, the others do not")
    func overlaps() {
        for overlap in Overlap.allCases {
            var world = asserting(overlap: overlap)
            world.submit("a")
            let isTaken = overlap == .replace || overlap == .expireOld
            #expect(world.expired == (isTaken ? [.preempted] : []), "\(overlap)")
        }
    }
}
