// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@Suite("Periodic tasks and submission at launch", .timeLimit(.minutes(5)))
struct PeriodicTests {
    private let daily = TaskDeclaration.task("a", every: .days(1), submission: .launch)

    @Test("a period is measured from one launch to the next")
    func rhythm() {
        var world = World([daily])
        world.handle(.start)
        #expect(world.launched == ["a"])
        world.end("a", after: .minutes(5))
        #expect(
            world.delay(of: "a")
                == Interval(
                    nanoseconds: Interval.hours(24).nanoseconds - Interval.minutes(5).nanoseconds))
        world.passUntilTimer()
        #expect(world.launched == ["a"])
    }

    @Test("an attempt longer than its period is followed by one attempt at once")
    func overrun() {
        var world = World([.task("a", every: .minutes(1), submission: .launch)])
        world.handle(.start)
        world.end("a", after: .minutes(5))
        #expect(world.launched == ["a"])
        world.end("a", after: .seconds(10))
        #expect(world.delay(of: "a") == .seconds(50))
    }

    @Test("a periodic task that was given up continues with its next period")
    func afterFailure() {
        var world = World([daily])
        world.handle(.start)
        world.end("a", .failed, after: .hours(1))
        #expect(world.delay(of: "a") == .hours(23))
        #expect(world.engine.pendingRequest("a")?.failures == 0)
    }

    @Test(
        "a retry after the beginning of the next period is merged into that period",
        arguments: [(Int64(22), true), (24, false)])
    func retryOrPeriod(hours: Int64, isRetry: Bool) {
        let rule = RetryRule(from: .hours(hours), to: .hours(48))
        var world = World([.task("a", every: .days(1), submission: .launch, retry: rule)])
        world.handle(.start)
        world.end("a", .failed, after: .hours(1))
        #expect(world.delay(of: "a") == .hours(isRetry ? hours : 23))
        #expect(world.engine.pendingRequest("a")?.failures == (isRetry ? 1 : 0))
    }

    @Test("parameters are passed on from period to period")
    func parameters() {
        var world = World([daily])
        world.submit("a", parameters: "{\"n\":1}")
        world.end("a")
        #expect(world.engine.pendingRequest("a")?.parameters == "{\"n\":1}")
    }

    @Test("tasks are submitted at launch, except wildcards and manual tasks")
    func atLaunch() {
        var world = World([
            .task("a", earliest: .minutes(1), submission: .launch),
            .task("b", submission: .manual), .task("c.*", submission: .launch),
        ])
        world.handle(.start)
        #expect(world.engine.pendingRequests.map(\.identifier) == ["a"])
        #expect(world.delay(of: "a") == .minutes(1))
    }

    @Test("a pending request is kept across a restart without delay")
    func keptAcrossRestart() throws {
        let declaration = TaskDeclaration.task("a", earliest: .hours(1), submission: .launch)
        var first = World([declaration])
        first.handle(.start)
        let request = try #require(first.engine.pendingRequest("a"))
        var second = World(
            [declaration],
            restoring: Engine.Restoration(requests: [request], nextRequestID: request.id + 1))
        second.pass(.minutes(59))
        second.handle(.start)
        #expect(second.engine.pendingRequests == [request])
        #expect(second.wake == second.elapsed + Interval.minutes(1).nanoseconds)
        second.passUntilTimer()
        #expect(second.launched == ["a"])
    }

    @Test(
        "a periodic task keeps its rhythm across a restart, and catches up once when it is late",
        arguments: [(Int64(10), Int64(14)), (24, 0), (100, 0)])
    func rhythmAcrossRestart(hoursAgo: Int64, dueIn: Int64) {
        let now = World([]).wall
        let last = now.advanced(by: .hours(-hoursAgo))
        var world = World([daily], restoring: Engine.Restoration(lastLaunches: ["a": last]))
        world.handle(.start)
        #expect(world.isRunning("a") == (dueIn == 0))
        if dueIn > 0 { #expect(world.delay(of: "a") == .hours(dueIn)) }
    }

    @Test("a launch in the future, before the clock was set back, delays by one period at most")
    func clockSetBack() {
        let future = World([]).wall.advanced(by: .days(2_000))
        var restarted = World([daily], restoring: Engine.Restoration(lastLaunches: ["a": future]))
        restarted.handle(.start)
        #expect(restarted.delay(of: "a") == .days(1))

        var running = World([daily])
        running.handle(.start)
        running.setClock(by: .days(-2_000))
        running.end("a")
        #expect(running.delay(of: "a") == .days(1))
    }

    @Test("a request whose task the manifest no longer declares is not loaded")
    func undeclared() {
        let request = TaskRequest(
            id: 1, identifier: "gone", kind: .processing, submitted: WallTime(milliseconds: 0))
        var world = World([daily], restoring: Engine.Restoration(requests: [request]))
        #expect(world.engine.pendingRequests == [])
        #expect(!world.handle(.timer).contains(.remove(request)))
    }
}
