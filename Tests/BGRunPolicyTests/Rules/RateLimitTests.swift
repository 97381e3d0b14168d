// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@Suite("Rate limits, budgets and penalties", .timeLimit(.minutes(5)))
struct RateLimitTests {
    private func reason(_ world: World, _ identifier: String) -> PendingReason? {
        world.engine.pendingReason(identifier, at: world.wall)
    }

    @Test(
        "refreshes come at least 15 minutes apart under apple, at once under server",
        arguments: [(Policy.apple, false), (.server, true)])
    func refreshSpacing(policy: Policy, atOnce: Bool) {
        var world = World([.task("a", kind: .appRefresh)], policy: policy)
        world.submit("a")
        world.end("a", after: .minutes(1))
        world.submit("a")
        #expect(world.isRunning("a") == atOnce)
        guard !atOnce else { return }
        #expect(
            reason(world, "a")
                == .factor(.rateLimit, until: world.wall.advanced(by: .minutes(14))))
        #expect(world.wake == world.elapsed + Interval.minutes(14).nanoseconds)
        world.passUntilTimer()
        #expect(world.launched == ["a"])
    }

    @Test("a withdrawn launch does not space the next one")
    func givenBack() {
        var world = World([.task("a", kind: .appRefresh)])
        world.submit("a")
        world.end("a", .expired(.thermal, reported: nil), after: .seconds(5))
        #expect(world.launched == ["a"])
    }

    @Test("a withdrawn launch counts neither after a restart nor among the pushes of the hour")
    func givenBackForGood() {
        for kind in [TaskKind.appRefresh, .push] {
            var world = World([.task("a", kind: kind)])
            world.submit("a")
            world.handle(.shutdown)
            world.end("a", .expired(.shutdown, reported: nil))
            let requests = world.engine.pendingRequests
            #expect(
                world.remembered.keys.filter { !$0.hasPrefix("budget") } == [], "\(kind)")
            var next = World(
                [.task("a", kind: kind)],
                restoring: Engine.Restoration(
                    requests: requests,
                    facts: AppFacts(entries: world.remembered.map { Fact($0.key, $0.value) }),
                    nextRequestID: 2))
            next.handle(.start)
            #expect(next.launched == ["a"], "\(kind)")
        }
    }

    @Test("the spacing from the last launch survives the host")
    func restored() {
        var first = World([.task("a.*", kind: .appRefresh)], permitted: ["a.*"])
        first.submit("a.b")
        let facts = AppFacts(entries: first.remembered.map { Fact($0.key, $0.value) })
        var world = World(
            [.task("a.*", kind: .appRefresh)], permitted: ["a.*"],
            restoring: Engine.Restoration(facts: facts))
        world.pass(.minutes(5))
        world.submit("a.b")
        #expect(
            reason(world, "a.b")
                == .factor(.rateLimit, until: world.wall.advanced(by: .minutes(10))))
    }

    @Test("a clock set back delays a launch no longer than the spacing")
    func clockSetBack() {
        var world = World([.task("a", kind: .appRefresh)])
        world.submit("a")
        world.end("a")
        world.submit("a")
        world.setClock(by: .days(-900))
        world.handle(.timer)
        #expect(world.wake == world.elapsed + Interval.minutes(15).nanoseconds)
        world.passUntilTimer()
        #expect(world.launched == ["a"])
    }

    @Test("14 pushes in two hours give 7 launches")
    func pushes() {
        var world = World([.task("a", kind: .push)])
        func run(_ world: inout World, until due: Int64) {
            while let wake = world.wake, wake <= due {
                world.passUntilTimer()
                if world.isRunning("a") { world.end("a") }
            }
        }
        let start = world.elapsed
        for push: Int64 in 0..<14 {
            let due = start + Interval.milliseconds(553_846 * push).nanoseconds
            run(&world, until: due)
            world.pass(Interval(nanoseconds: due - world.elapsed))
            world.submit("a")
            if world.isRunning("a") { world.end("a") }
        }
        run(&world, until: start + Interval.hours(2).nanoseconds)
        #expect(world.engine.appFacts.pushLaunches.count <= 3)
        #expect(world.launchCount == 7)
        #expect(!world.isPending("a"))
    }

    @Test("the launches of pushes in an hour are limited, whatever their tasks")
    func pushCeiling() {
        let identifiers = (0..<5).map { "task\($0)" }
        var world = World(
            identifiers.map { .task($0, kind: .push) }, policy: .atOnce(9),
            device: DeviceState(externalPower: .yes))
        for identifier in identifiers { world.submit(identifier) }
        #expect(identifiers.count(where: { world.isRunning($0) }) == 3)
        #expect(
            reason(world, "task3")
                == .factor(.rateLimit, until: world.wall.advanced(by: .hours(1))))
        world.handle(.timer, after: .hours(1))
        #expect(world.launched == ["task3", "task4"])
    }

    /// A refresh waits after an attempt that used the whole budget of 10 minutes.
    private static func spent() -> World {
        var policy = Policy.apple
        policy.appRefreshSpacing = .zero
        var world = World(
            [.task("a", kind: .appRefresh, timeLimit: .minutes(30))], policy: policy,
            device: .battery)
        world.submit("a")
        world.end("a", after: .minutes(10))
        world.submit("a")
        return world
    }

    @Test("a spent budget refills over its period, and power overrides it")
    func budget() {
        var world = Self.spent()
        // A launch needs 30 s of the 10 min, which refill in 12 h.
        let due = world.wall.advanced(by: .minutes(36)).advanced(by: .milliseconds(1))
        #expect(reason(world, "a") == .factor(.budget, until: due))
        world.passUntilTimer()
        #expect(world.launched == ["a"])
        #expect(world.wall == due)
        world.end("a", after: .minutes(1))
        world.submit("a")
        #expect(!world.isRunning("a"))
        world.handle(.deviceChanged(DeviceState(externalPower: .yes)))
        #expect(world.launched == ["a"])
    }

    @Test("a clock set back does not lengthen a delay because of the budget")
    func budgetSetBack() {
        var world = Self.spent()
        world.setClock(by: .days(-30))
        world.handle(.timer)
        let due = world.wall.advanced(by: .minutes(36)).advanced(by: .milliseconds(1))
        #expect(reason(world, "a") == .factor(.budget, until: due))
        world.passUntilTimer()
        #expect(world.launched == ["a"] && world.wall == due)
    }

    @Test("a late report of an end returns no budget twice")
    func lateEnd() throws {
        var world = World.pushes("a", "b", policy: .atOnce(2))
        world.submit("a")
        world.submit("b")
        let late = try #require(world.engine.runningAttempt("a")).id
        world.pass(.seconds(50))
        let ended = world.now
        world.end("b", after: .seconds(10))
        let before = world.engine.appFacts.budget.left(policy: .apple, now: world.wall)
        world.handle(.late(.attemptEnded(attempt: late, .completed), arrived: ended))
        #expect(world.engine.hasNoAttempt)
        #expect(world.engine.appFacts.budget.left(policy: .apple, now: world.wall) == before)
    }

    @Test("power and other kinds spend nothing")
    func spendsNothing() {
        for (kind, power) in [(TaskKind.appRefresh, Reading.yes), (.processing, .no)] {
            var world = World(
                [.task("a", kind: kind, requires: [])],
                device: DeviceState(externalPower: power, batteryPercent: 100))
            world.submit("a")
            world.end("a", after: .minutes(9))
            #expect(world.engine.appFacts.budget.spent == .zero)
        }
    }

    @Test("each missed completion in a row doubles the delay of the next launch, up to a day")
    func penalty() {
        var world = World([.task("a")])
        for minutes: Int64 in [15, 30, 60, 120, 240, 480, 960, 1440, 1440] {
            world.submit("a")
            if !world.isRunning("a") { world.passUntilTimer() }
            #expect(world.isRunning("a"))
            let launched = world.wall
            world.end("a", .expired(.time, reported: nil))
            world.submit("a")
            #expect(
                reason(world, "a")
                    == .factor(.rateLimit, until: launched.advanced(by: .minutes(minutes))))
        }
    }

    @Test("a triggered launch without completion delays the next one, also in the next host")
    func penaltyByHand() {
        var world = World([.task("a")])
        world.handle(.trigger(Submission(identifier: "a"), ticket: nil))
        let due = world.wall.advanced(by: .minutes(15))
        world.end("a", .expired(.time, reported: nil), after: .minutes(1))
        let facts = AppFacts(entries: world.remembered.map { Fact($0.key, $0.value) })
        world.submit("a")
        #expect(reason(world, "a") == .factor(.rateLimit, until: due))
        var next = World([.task("a")], restoring: Engine.Restoration(facts: facts))
        next.wall = world.wall
        next.submit("a")
        #expect(reason(next, "a") == .factor(.rateLimit, until: due))
    }

    @Test("any report clears the penalty, including a failure")
    func cleared() {
        var world = World([.task("a")])
        world.submit("a")
        world.end("a", .expired(.time, reported: nil))
        world.submit("a")
        world.passUntilTimer()
        world.end("a", .failed)
        world.submit("a")
        #expect(world.isRunning("a"))
        #expect(world.remembered["missed:a"] == nil)
    }

    @Test("a report releases a delayed request of the same wildcard")
    func clearedForOthers() {
        var world = World([.task("w.*")], policy: .atOnce(2))
        world.submit("w.a")
        world.submit("w.b")
        world.end("w.a", .expired(.time, reported: nil))
        world.submit("w.a")
        #expect(world.isPending("w.a"))
        world.end("w.b")
        #expect(world.launched == ["w.a"])
    }

    @Test("a late report and a revocation by the system are not missed completions")
    func noPenalty() {
        for outcome in [
            Outcome.expired(.time, reported: false), .expired(.thermal, reported: nil),
            .crashed(signal: 11), .limited(.memory),
        ] {
            var world = World([.task("a")])
            world.submit("a")
            world.end("a", outcome)
            world.submit("a")
            #expect(world.isRunning("a"), "\(outcome)")
        }
    }

    @Test("an attempt that exceeds the remaining budget is expired with reason quota")
    func quota() {
        var world = World.pushes("a")
        world.submit("a")
        world.passUntilTimer()
        #expect(world.expired == [.quota])
        #expect(world.elapsed == World([]).elapsed + Interval.minutes(10).nanoseconds)
        world.end("a", .expired(.quota, reported: false))
        #expect(world.engine.pendingRequest("a")?.failures == 0)
        #expect(world.launched == [])
        // A refresh needs a twentieth of the budget, which refills in a twentieth of the period.
        let due = world.wall.advanced(by: .minutes(36)).advanced(by: .milliseconds(1))
        #expect(world.reason("a") == .factor(.budget, until: due))
        world.handle(.deviceChanged(DeviceState(externalPower: .yes)))
        #expect(world.launched == ["a"])
        world.passUntilTimer()
        #expect(world.expired == [.time], "on power nothing is held to a budget")
    }

    @Test(
        "simultaneous attempts share the budget equally, and an unused part goes to the others"
    )
    func quotaOfTwo() throws {
        var policy = Policy.atOnce(2)
        // The refill during the test is negligible.
        policy.budgetPeriod = .hours(720)
        var world = World.pushes("a", "b", policy: policy)
        let begin = world.elapsed
        func minutes() -> Int64 { (world.elapsed - begin + 30_000_000_000) / 60_000_000_000 }
        world.submit("a")
        world.handle(.submit(Submission(identifier: "b"), ticket: nil), after: .minutes(2))
        // The remaining eight minutes are four for each attempt.
        world.passUntilTimer()
        #expect(world.expiredIdentifiers == ["a", "b"] && world.expired == [.quota, .quota])
        #expect(minutes() == 6)

        world = .pushes("a", "b", policy: policy)
        world.submit("a")
        world.submit("b")
        world.end("b", after: .minutes(2))
        // Each attempt has used two minutes.
        world.passUntilTimer()
        #expect(world.expiredIdentifiers == ["a"] && minutes() == 8)
        world.end("a", .expired(.quota, reported: true))
        #expect(world.engine.appFacts.budget.spent >= .minutes(9))
        #expect(world.engine.appFacts.budget.spent <= .minutes(10))
    }

    @Test("a launch requires the budget of a refresh for itself and for each running attempt")
    func reserves() {
        var policy = Policy.atOnce(2)
        policy.budget = .seconds(50)
        var world = World.pushes("a", "b", timeLimit: nil, policy: policy)
        world.submit("a")
        world.end("a", after: .seconds(10))
        world.submit("a")
        world.submit("b")
        #expect(world.isRunning("a") && !world.isRunning("b"))
        guard case .factor(.budget, _) = world.reason("b") else {
            Issue.record("\(String(describing: world.reason("b")))")
            return
        }
        world.end("a", after: .seconds(1))
        #expect(world.launched == ["b"])
    }

    @Test("power lifts the budget of running attempts, and its loss limits them again")
    func powerWhileRunning() {
        var world = World.pushes("a", timeLimit: .hours(1))
        world.submit("a")
        world.handle(.deviceChanged(DeviceState(externalPower: .yes)), after: .minutes(9))
        #expect(world.engine.appFacts.budget.spent == .minutes(9))
        world.handle(.deviceChanged(.battery), after: .minutes(30))
        world.passUntilTimer()
        #expect(world.expired == [.quota])
        // The budget that was spent before power came has been refilled in part.
        #expect(world.elapsed > World([]).elapsed + Interval.minutes(40).nanoseconds)
        #expect(world.elapsed < World([]).elapsed + Interval.minutes(41).nanoseconds)
    }

    @Test("a withdrawn push leaves the gate unchanged")
    func gateAfterGivingBack() {
        var world = World(
            [.task("a", kind: .push), .task("b")], device: DeviceState(pressure: .no))
        world.submit("a")
        world.handle(.deviceChanged(DeviceState(pressure: .yes)), after: .seconds(5))
        world.pass(Policy.apple.pressureWait)
        world.handle(.timer)
        world.end("a", .expired(.pressure, reported: nil))
        world.submit("b")
        #expect(world.isRunning("b"), "contention is how the machine is by now")
    }

    @Test(
        "a penalty never shortens the spacing",
        arguments: [
            (0, Int64(60)), (1, 60), (3, 60), (4, 120), (9, 1_440),
        ])
    func spacing(missed: Int, minutes: Int64) {
        var policy = Policy.apple
        policy.appRefreshSpacing = .hours(1)
        #expect(policy.spacing(of: .appRefresh, missedCompletions: missed) == .minutes(minutes))
        #expect(policy.spacing(of: .continued, missedCompletions: missed) == .zero)
    }
}
