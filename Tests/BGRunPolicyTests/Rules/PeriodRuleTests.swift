// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@Suite("Catch-up, jitter and groups", .timeLimit(.minutes(5)))
struct PeriodRuleTests {
    /// A host that starts `hoursAgo` hours after the last launch of its daily task.
    private func restarted(_ catchUp: CatchUp, hoursAgo: Int64) -> World {
        let last = World([]).wall.advanced(by: .hours(-hoursAgo))
        var world = World(
            [.task("a", every: .days(1), submission: .launch, catchUp: catchUp)],
            restoring: Engine.Restoration(lastLaunches: ["a": last]))
        world.handle(.start)
        return world
    }

    @Test(
        "after three days away `none` keeps the rhythm, `one` runs once, `all` makes up for each",
        arguments: [(CatchUp.none, 0, Int64(18)), (.one, 1, 24), (.all, 3, 18)])
    func downtime(catchUp: CatchUp, atOnce: Int, thenInHours: Int64) {
        var world = restarted(catchUp, hoursAgo: 78)
        var runs = 0
        while world.isRunning("a") {
            runs += 1
            world.end("a")
        }
        #expect(runs == atOnce)
        #expect(world.delay(of: "a") == .hours(thenInHours))
    }

    @Test("missed periods wait after the start of a host for the time of `earliest`")
    func missedWaits() {
        let last = World([]).wall.advanced(by: .hours(-78))
        var world = World(
            [
                .task(
                    "a", earliest: .hours(1), every: .days(1), submission: .launch, catchUp: .all)
            ],
            restoring: Engine.Restoration(lastLaunches: ["a": last]))
        world.handle(.start)
        #expect(!world.isRunning("a") && world.delay(of: "a") == .hours(1))
    }

    @Test("`all` makes up for periods up to the limit")
    func limit() {
        var policy = Policy.apple
        policy.catchUpLimit = 5
        let last = World([]).wall.advanced(by: .days(-365))
        var world = World(
            [.task("a", every: .days(1), submission: .launch, catchUp: .all)], policy: policy,
            restoring: Engine.Restoration(lastLaunches: ["a": last]))
        world.handle(.start)
        var runs = 0
        while world.isRunning("a"), runs < 100 {
            runs += 1
            world.end("a")
        }
        #expect(runs == 6)
    }

    @Test("jitter delays each launch by less than its length, and equally for the same seed")
    func jitter() {
        func delays(seed: UInt64) -> [Interval?] {
            var world = World(
                [.task("a", every: .hours(1), submission: .launch, jitter: .minutes(10))],
                seed: seed)
            world.handle(.start)
            return (0..<20).map { _ in
                world.end("a")
                defer { world.passUntilTimer() }
                return world.delay(of: "a")
            }
        }
        let first = delays(seed: 4)
        #expect(first == delays(seed: 4))
        #expect(first != delays(seed: 5))
        #expect(Set(first).count > 10)
        #expect(first.allSatisfy { $0.map { $0 >= .hours(1) && $0 <= .minutes(70) } ?? false })
    }

    @Test("tasks of a group share its limit, and others overtake them")
    func group() {
        let group = TaskDeclaration.Group(name: "photos", limit: 1)
        var world = World(
            [.task("a", group: group), .task("b", group: group), .task("c")], policy: .server)
        for identifier in ["a", "b", "c"] { world.submit(identifier) }
        #expect(world.isRunning("a") && world.isRunning("c"))
        #expect(
            world.engine.pendingReason("b", at: world.wall) == .groupLimit("photos", limit: 1))
        world.end("a")
        #expect(world.launched == ["b"])
    }

    @Test("the smaller of two limits for a group counts", arguments: [[1, 2], [2, 1]])
    func groupLimits(limits: [Int]) {
        let groups = limits.map { TaskDeclaration.Group(name: "photos", limit: $0) }
        var world = World(
            [.task("a", group: groups[0]), .task("b", group: groups[1])], policy: .server)
        world.submit("a")
        world.submit("b")
        #expect(world.isRunning("a") && !world.isRunning("b"))
    }

    @Test("each kind has its own limit")
    func kindLimit() {
        var policy = Policy.server
        policy.concurrencyLimits.processing = 1
        var world = World([.task("a"), .task("b"), .task("c", kind: .push)], policy: policy)
        for identifier in ["a", "b", "c"] { world.submit(identifier) }
        #expect(world.isRunning("a") && world.isPending("b") && world.isRunning("c"))
    }

    @Test("with `all` a retry neither replaces nor moves a period")
    func retryOfMissed() {
        let rule = RetryRule(from: .minutes(10), to: .hours(1))
        let task = TaskDeclaration.task(
            "a", every: .hours(1), submission: .launch, retry: rule, catchUp: .all)
        var world = World([task])
        world.handle(.start)
        let begin = world.wall
        world.end("a", .failed, after: .minutes(5))
        #expect(world.engine.pendingRequest("a")?.occurrence == begin)
        world.passUntilTimer()
        world.end("a", after: .minutes(1))
        #expect(
            world.engine.pendingRequest("a")?.earliest == begin.advanced(by: .hours(1)),
            "an hour after the first launch, not after its retry")
        // No host runs for three hours; the first catch-up launch fails and is retried.
        world.pass(.hours(3))
        world.handle(.timer)
        var launches = 0
        var isFirst = true
        while world.isRunning("a") {
            launches += 1
            world.end("a", isFirst ? .crashed(signal: 9) : .completed)
            isFirst = false
        }
        #expect(launches == 3)
        #expect(world.engine.pendingRequest("a")?.earliest == begin.advanced(by: .hours(4)))
    }

    @Test("a clock that is set back moves a retry, also one that replaces a period")
    func retryAndClock() {
        let rule = RetryRule(from: .minutes(10), to: .hours(1))
        var world = World([
            .task("a", every: .hours(1), submission: .launch, retry: rule, catchUp: .all)
        ])
        world.handle(.start)
        world.end("a", .failed)
        world.setClock(by: .days(-9))
        world.handle(.timer)
        #expect(world.delay(of: "a") == .minutes(10))
    }

    @Test("a period with `all` keeps its date over several retries")
    func retriesOfPeriod() {
        let rule = RetryRule(from: .minutes(10), to: .hours(1))
        var world = World([
            .task("a", every: .hours(1), submission: .launch, retry: rule, catchUp: .all)
        ])
        world.handle(.start)
        let begin = world.wall
        for _ in 1...2 {
            world.end("a", .failed, after: .minutes(5))
            #expect(world.engine.pendingRequest("a")?.occurrence == begin)
            world.passUntilTimer()
        }
        world.end("a")
        #expect(world.delay(of: "a") == world.wall.interval(until: begin.advanced(by: .hours(1))))
    }
}
