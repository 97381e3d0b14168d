// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@Suite("Events that waited for a busy store", .timeLimit(.minutes(5)))
struct LateEventTests {
    /// Handles `event` a minute after its arrival.
    private func take(_ world: inout World, _ event: Event) {
        let arrived = world.now
        world.handle(.late(event, arrived: arrived), after: .minutes(1))
    }

    private func submission(_ identifier: String, isOnlyImmediate: Bool = false) -> Event {
        .submit(
            Submission(identifier: identifier, isOnlyImmediate: isOnlyImmediate), ticket: 7)
    }

    @Test("launch one by one, and the first affects the decision on the second")
    func immediate() {
        var world = World(
            [.task("a", kind: .continued), .task("b", kind: .continued)], policy: .atOnce(1))
        take(&world, submission("a", isOnlyImmediate: true))
        #expect(world.launched == ["a"])
        take(&world, submission("b", isOnlyImmediate: true))
        guard case .refused? = world.reply else {
            Issue.record("\(String(describing: world.reply))")
            return
        }
    }

    @Test("do not count as pending requests after their launch")
    func limit() {
        var policy = Policy.apple
        policy.pendingLimits.appRefresh = 1
        var world = World(
            [.task("a", kind: .appRefresh), .task("b", kind: .appRefresh)], policy: policy)
        take(&world, submission("a"))
        take(&world, submission("b"))
        guard case .accepted? = world.reply else {
            Issue.record("\(String(describing: world.reply))")
            return
        }
    }

    @Test("run twice if the same request comes again after its launch")
    func again() {
        var world = World([.task("a")], policy: .atOnce(2))
        take(&world, submission("a"))
        take(&world, submission("a"))
        #expect(world.isRunning("a") && world.isPending("a"))
    }

    @Test("that report an end make room for the next launch")
    func nextLaunch() throws {
        var world = World([.task("a"), .task("b")], policy: .atOnce(1))
        world.submit("a")
        world.submit("b")
        let attempt = try #require(world.engine.runningAttempt("a")).id
        take(&world, .attemptEnded(attempt: attempt, .completed))
        #expect(world.launched == [])
        take(&world, .trigger(Submission(identifier: "c"), ticket: 7))
        #expect(world.launched == ["b"])
    }

    @Test("never count as of a future date, although the clock was set back meanwhile")
    func clockSetBack() {
        var world = World(
            [.task("a", requires: .externalPower)], device: DeviceState(externalPower: .no))
        let arrived = world.now
        world.setClock(by: .hours(-1))
        world.handle(.late(submission("a"), arrived: arrived))
        #expect(world.engine.pendingRequest("a")?.submitted == world.wall)
    }

    @Test("end no time limit; the next event that did not wait does")
    func time() {
        var world = World([.task("a", timeLimit: .seconds(10)), .task("b")], policy: .atOnce(2))
        world.submit("a")
        take(&world, submission("b"))
        #expect(world.expired == [])
        world.handle(.timer)
        #expect(world.expired == [.time])
    }

    @Test("are handled before requests that became due after them")
    func dueMeanwhile() {
        var world = World([.task("a")])
        world.submit("a", delay: .seconds(20))
        take(&world, .cancel(identifier: "a", ticket: 7))
        #expect(world.reply == .cancelled(1) && world.launched == [])
    }

    @Test("launch requests that were due before them")
    func dueBefore() {
        var world = World([.task("a")])
        world.submit("a", delay: .seconds(20))
        world.pass(.seconds(30))
        take(&world, .cancel(identifier: "a", ticket: 7))
        #expect(world.launched == ["a"] && world.reply == .cancelled(0))
    }

    @Test("launch nothing before a cancellation by the host")
    func ownCancellation() throws {
        var world = World([.task("a"), .task("b")], policy: .atOnce(1))
        world.submit("a")
        world.submit("b")
        let attempt = try #require(world.engine.runningAttempt("a")).id
        take(&world, .attemptEnded(attempt: attempt, .completed))
        take(&world, .cancel(identifier: "b", ticket: nil))
        #expect(world.launched == [] && !world.isPending("b"))
    }

    @Test("launch no occurrence whose start deadline has passed")
    func startDeadline() throws {
        let schedule = try CronSchedule(
            "* * * * *", seeds: CronSeeds(machine: "m", identifier: "a"))
        let entry = CalendarSchedule.Entry(.cron(schedule), in: .utc, text: "* * * * *")
        var world = World([
            .task(
                "a", schedule: .calendar(CalendarSchedule([entry])), submission: .launch,
                startDeadline: .seconds(10))
        ])
        world.handle(.start)
        let due = try #require(world.engine.pendingRequest("a")?.occurrence)
        world.pass(.milliseconds(due.milliseconds - world.wall.milliseconds))
        world.handle(.late(.timer, arrived: world.now), after: .seconds(11))
        #expect(world.launched == [])
        #expect(try #require(world.engine.pendingRequest("a")?.occurrence) > due)
    }

    @Test("start the delay of a submission at its arrival")
    func delay() throws {
        var world = World([.task("a")])
        let arrived = world.wall
        take(&world, .submit(Submission(identifier: "a", delay: .minutes(5)), ticket: 7))
        let request = try #require(world.engine.pendingRequest("a"))
        #expect(request.earliest == arrived.advanced(by: .minutes(5)))
    }

    @Test("that announce sleep leave the remaining time until it")
    func suspending() throws {
        var world = World([.task("a", grace: .seconds(30))])
        world.submit("a")
        let arrived = world.now
        world.handle(
            .late(.suspending(within: .seconds(15)), arrived: arrived), after: .seconds(8))
        let end = world.actions.compactMap {
            if case .expire(_, .suspend, _, let deadline) = $0 { deadline } else { nil }
        }
        let wait = world.engine.configuration.policy.terminationWait.nanoseconds
        #expect(end == [arrived.elapsed + Interval.seconds(15).nanoseconds - wait])
    }

    @Test("do not charge the budget twice if an end is reported after a later change")
    func budget() throws {
        var world = World.pushes("a", "b", policy: .atOnce(2))
        world.submit("a")
        world.submit("b")
        let attempt = try #require(world.engine.runningAttempt("a")).id
        world.pass(.seconds(10))
        let ended = world.now
        world.pass(.seconds(20))
        world.handle(
            .late(
                .deviceChanged(DeviceState(externalPower: .no, batteryPercent: 80)), arrived: ended)
        )
        world.handle(.late(.trigger(Submission(identifier: "b"), ticket: 7), arrived: ended))
        world.handle(.late(.attemptEnded(attempt: attempt, .completed), arrived: ended))
        world.handle(.deviceChanged(DeviceState(externalPower: .yes)), after: .seconds(5))
        // a: 10 s, or 30 s if charged before its end was reported; b: 35 s.
        let spent = world.engine.appFacts.budget.spent
        #expect(spent > .seconds(40) && spent <= .seconds(65))
    }

    @Test("that grant slots shared with other apps do so only for requests that wait then")
    func granted() {
        var world = World([.task("a"), .task("b")], policy: .atOnce(2))
        world.handle(.granted(0))
        world.submit("a")
        take(&world, .granted(2))
        #expect(world.launched == ["a"])
        world.submit("b")
        #expect(world.launched == [] && world.reason("b") == .share)
    }

    @Test("that report the end of a yielded attempt make the next one yield")
    func contention() throws {
        var world = World(
            [.task("a"), .task("b")], policy: .atOnce(2), device: DeviceState(pressure: .no))
        world.submit("a")
        world.submit("b")
        world.handle(.deviceChanged(DeviceState(pressure: .yes)))
        #expect(world.expiredIdentifiers == ["b"])
        let attempt = try #require(world.engine.runningAttempt("b")).id
        take(&world, .attemptEnded(attempt: attempt, .expired(.pressure, reported: nil)))
        #expect(world.expiredIdentifiers == ["a"])
    }

    @Test("that recover attempts launch nothing: the device is not known yet")
    func recovery() {
        let request = TaskRequest(
            id: 1, identifier: "a", kind: .processing, submitted: WallTime(milliseconds: 0))
        var world = World(
            [.task("a")], restoring: Engine.Restoration(requests: [request], nextRequestID: 2))
        take(&world, .recover([]))
        #expect(world.launched == [])
        world.handle(.start)
        #expect(world.launched == ["a"])
    }
}
