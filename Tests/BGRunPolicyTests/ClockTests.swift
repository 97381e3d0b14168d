// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@Suite("Clocks that jump, and extreme numbers", .timeLimit(.minutes(5)))
struct ClockTests {
    @Test("a clock set forward past a date launches the request that waits for it")
    func forward() {
        var world = World([.task("a", earliest: .hours(1))])
        world.submit("a")
        world.setClock(by: .hours(2))
        world.handle(.timer)
        #expect(world.launched == ["a"])
    }

    @Test("a clock set back moves the date of a request, which waits no longer than its delay")
    func back() {
        var world = World([.task("a", earliest: .hours(1))])
        world.submit("a")
        world.setClock(by: .hours(-2))
        world.handle(.timer)
        #expect(world.stored.map(\.submitted) == [world.wall])
        #expect(world.wake == world.elapsed + Interval.hours(1).nanoseconds)
        world.handle(.timer, after: .minutes(59))
        #expect(world.launched == [])
        world.handle(.timer, after: .minutes(1))
        #expect(world.launched == ["a"])
    }

    @Test("a request whose date had come waits again when the clock is set back before it")
    func backAfterReady() {
        var world = World([.task("a", requires: .idle, earliest: .hours(1))])
        world.submit("a")
        world.handle(.timer, after: .hours(1))
        world.setClock(by: .minutes(-30))
        world.handle(.deviceChanged(DeviceState(userIdle: .yes)))
        #expect(world.launched == [])
        #expect(
            world.engine.pendingReason("a", at: world.wall)
                == .notBefore(world.wall.advanced(by: .minutes(30))))
        world.passUntilTimer()
        #expect(world.launched == ["a"])
    }

    @Test("a request without a date is launched although the clock was set back since")
    func withoutDate() {
        var world = World([.task("a", requires: .idle)])
        world.submit("a")
        world.setClock(by: .days(-365))
        world.handle(.deviceChanged(DeviceState(userIdle: .yes)))
        #expect(world.launched == ["a"])
        world.setClock(by: .days(-365))
        world.end("a", .expired(.preempted, reported: nil))
        #expect(world.launched == ["a"])
    }

    @Test("the calendar clock does not change a running attempt's time", arguments: [-400, 400])
    func ladder(days: Int64) {
        var world = World([.task("a", timeLimit: .seconds(30))])
        world.submit("a")
        let deadline = world.wake
        world.setClock(by: .days(days))
        world.handle(.timer, after: .seconds(29))
        #expect(world.expired == [] && world.launched == [])
        #expect(world.wake == deadline)
        world.handle(.timer, after: .seconds(1))
        #expect(world.expired == [.time])
    }

    @Test("after a clock was set back and a restart, the app counts as used until then")
    func backBeforeRestart() {
        var first = World([.task("a")])
        first.handle(.appOpened(ticket: nil))
        first.setClock(by: .days(-365))
        first.handle(.timer)
        let facts = AppFacts(entries: first.remembered.map { Fact($0.key, $0.value) })
        for (days, reason) in [(13, nil), (15, PendingReason.factor(.appUsage, until: nil))] {
            var world = World([.task("a")], restoring: Engine.Restoration(facts: facts))
            world.wall = first.wall.advanced(by: .days(Int64(days)))
            world.submit("a")
            #expect(world.reason("a") == reason, "\(days) days later")
        }
    }

    @Test("an interval saturates at its largest and smallest value")
    func intervals() {
        #expect(Interval.days(.max).nanoseconds == .max)
        #expect(Interval.days(.min).nanoseconds == .min)
        #expect(Interval.seconds(-3).multiplied(by: .max).nanoseconds == .min)
        #expect(Interval.seconds(-3).multiplied(by: .min).nanoseconds == .max)
        #expect(Interval.milliseconds(-5).nanoseconds == -5_000_000)
    }

    @Test("a date saturates at the first and the last one")
    func dates() {
        let (first, last) = (WallTime(milliseconds: .min), WallTime(milliseconds: .max))
        #expect(last.advanced(by: .seconds(1)) == last)
        #expect(first.advanced(by: .seconds(-1)) == first)
        #expect(first.advanced(by: .seconds(1)).milliseconds == .min + 1_000)
    }

    static let extremes: [(elapsed: Int64, wall: Int64)] = [
        (0, .min), (0, .max), (.max, .min), (.max, .max), (.max - 1, 0), (0, 0),
    ]

    @Test("no clock and no delay makes the engine trap", arguments: extremes)
    func extreme(elapsed: Int64, wall: Int64) {
        let rule = RetryRule(from: Interval(nanoseconds: .max), to: Interval(nanoseconds: .max))
        let longest = Interval(nanoseconds: .max)
        var world = World([
            .task("a", every: longest, submission: .launch, timeLimit: longest, retry: rule),
            .task("b", earliest: longest),
        ])
        world.elapsed = elapsed
        world.wall = WallTime(milliseconds: wall)
        world.handle(.start)
        world.submit("b")
        world.handle(.attemptReported(attempt: 1))
        world.end("a", .failed)
        world.submit("a", delay: longest)
        world.handle(.timer)
        for date in [Int64.min, .max, 0] {
            world.wall = WallTime(milliseconds: date)
            world.handle(.timer)
            world.end("a", .expired(.time, reported: nil))
            world.end("b", .completed)
        }
        #expect(world.engine.pendingRequests.count <= 2)
    }

    @Test("no stored date makes the engine trap", arguments: [Int64.min, -1, 0, .max])
    func restored(date: Int64) {
        let request = TaskRequest(
            id: 1, identifier: "a", kind: .processing, submitted: WallTime(milliseconds: date),
            earliest: WallTime(milliseconds: date))
        var world = World(
            [.task("a", every: .days(1), submission: .launch)],
            restoring: Engine.Restoration(
                requests: [request], lastLaunches: ["a": WallTime(milliseconds: date)],
                nextRequestID: 2))
        world.handle(.start)
        #expect(world.isRunning("a") == (date != .max))
        if date == .max { #expect(world.wake == .max) }
    }

    @Test("a clock that was set back while no host ran is noticed at the first event")
    func backBetweenHosts() {
        var first = World([.task("a", kind: .appRefresh), .task("b", earliest: .hours(1))])
        first.setClock(by: .days(1_000))
        first.submit("a")
        first.submit("b")
        var world = World(
            [.task("a", kind: .appRefresh), .task("b", earliest: .hours(1))],
            restoring: Engine.Restoration(
                requests: first.engine.pendingRequests,
                facts: AppFacts(entries: first.remembered.map { Fact($0.key, $0.value) }),
                nextRequestID: 3))
        world.handle(.recover([]))
        #expect(world.stored.map(\.submitted) == [world.wall])
        world.handle(.start)
        world.submit("a")
        #expect(
            world.reason("a")
                == .factor(.rateLimit, until: world.wall.advanced(by: .minutes(15))))
        #expect(world.delay(of: "b") == .hours(1))
    }
}
