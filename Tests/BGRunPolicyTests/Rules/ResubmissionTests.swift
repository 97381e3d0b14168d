// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@Suite("A request that an app submits again", .timeLimit(.minutes(5)))
struct ResubmissionTests {
    /// Launches in a day of a refresh that an app submits at each interval, due in 15 minutes.
    private func launches(_ policy: Policy, askedEvery interval: Interval) -> Int {
        var world = World(
            [.task("a", kind: .appRefresh)], policy: policy,
            device: DeviceState(externalPower: .yes))
        let end = world.elapsed + Interval.days(1).nanoseconds
        var ask = world.elapsed
        while world.elapsed < end {
            let next = min(ask, world.wake ?? .max)
            world.pass(Interval(nanoseconds: next - world.elapsed))
            if next == ask {
                world.submit("a", delay: .minutes(15), isFromApp: true)
                ask += interval.nanoseconds
            } else {
                world.handle(.timer)
            }
            if world.isRunning("a") {
                world.end("a", after: .seconds(1))
                world.submit("a", delay: .minutes(15), isFromApp: true)
            }
        }
        return world.launchCount
    }

    @Test(
        "does not wait longer than before",
        arguments: [(Policy.apple, Int64(10)), (.server, 5), (.apple, 1), (.server, 14)])
    func notPostponed(policy: Policy, minutes: Int64) {
        #expect((90...97).contains(launches(policy, askedEvery: .minutes(minutes))))
    }

    @Test("keeps its date and has the new parameters")
    func kept() {
        var world = World([.task("a", kind: .appRefresh)])
        world.submit("a", delay: .minutes(15), isFromApp: true)
        world.pass(.minutes(10))
        world.submit("a", delay: .minutes(15), parameters: "{}", isFromApp: true)
        #expect(world.delay(of: "a") == .minutes(5))
        #expect(world.engine.pendingRequest("a")?.parameters == "{}")
        #expect(world.stored.map(\.earliest) == [world.wall.advanced(by: .minutes(5))])
        // An app computes the delay before it submits the request, so the date differs a little.
        world.submit("a", delay: .milliseconds(15 * 60_000 + 900), isFromApp: true)
        #expect(world.delay(of: "a") == .minutes(5))
    }

    @Test("gets the date of an explicit delay, and the date of a user's submission")
    func asAsked() {
        for (delay, isFromApp, expected) in [
            (Int64(20), true, Int64(20)), (2, true, 2), (15, false, 15), (0, true, nil),
        ] as [(Int64, Bool, Int64?)] {
            var world = World(
                [.task("a", kind: .processing)], device: DeviceState(userIdle: .no))
            world.submit("a", delay: .minutes(15), isFromApp: true)
            world.pass(.minutes(10))
            world.submit("a", delay: .minutes(delay), isFromApp: isFromApp)
            #expect(world.delay(of: "a") == expected.map(Interval.minutes), "\(delay)")
        }
    }

    @Test("stays due, and keeps its waiting time")
    func due() {
        var world = World([.task("a", requires: .network)], device: DeviceState(network: .no))
        world.submit("a", delay: .minutes(15), isFromApp: true)
        let due = world.wall.advanced(by: .minutes(15))
        world.pass(.minutes(20))
        world.submit("a", delay: .minutes(15), isFromApp: true)
        #expect(world.engine.pendingRequest("a")?.since == due)
        world.handle(.deviceChanged(DeviceState(network: .yes)))
        #expect(world.launched == ["a"])
    }

    @Test("is spaced under `apple` if it is processing without a date")
    func loop() {
        var world = World([.task("a")])
        world.submit("a")
        for _ in 0..<50 {
            world.submit("a", isFromApp: true)
            world.end("a", after: .seconds(1))
            if world.isRunning("a") { continue }
            world.passUntilTimer()
        }
        #expect(world.launchCount == 51)
        let passed = world.elapsed - World([]).elapsed
        #expect(passed == Interval.minutes(50 * 15).nanoseconds)
    }

    @Test("waits with a reason that explain shows")
    func explained() throws {
        var world = World([.task("a")])
        world.submit("a")
        world.submit("a", isFromApp: true)
        world.end("a", after: .minutes(1))
        let due = world.wall.advanced(by: .minutes(14))
        #expect(world.reason("a") == .factor(.rateLimit, until: due))
        let explanation = try #require(world.engine.explain("a", at: world.wall))
        let line = try #require(explanation.lines.first { $0.name == "rate-limit" })
        #expect(line.current == "launched 1m ago" && line.needed == "15m apart")
        #expect(!line.satisfied && line.until == due && explanation.next == due)
    }

    @Test("is spaced after its attempt, also for an earlier date")
    func afterwards() {
        var world = World([.task("a")])
        world.submit("a")
        world.end("a", after: .minutes(1))
        world.submit("a", delay: .seconds(1), isFromApp: true)
        #expect(
            world.reason("a") == .factor(.rateLimit, until: world.wall.advanced(by: .minutes(14))))
        world.submit("a")
        #expect(world.isRunning("a"), "a person does not wait")
    }

    @Test("is not spaced for another identifier of a wildcard or a task that never ran")
    func free() {
        var world = World([.task("a.*")], policy: .atOnce(3), permitted: ["a.*"])
        world.submit("a.b")
        world.submit("a.c", isFromApp: true)
        #expect(world.isRunning("a.c"))
        world.submit("a.b", isFromApp: true)
        world.end("a.b")
        #expect(!world.isRunning("a.b"), "its own attempt")
    }

    @Test("is not delayed by a withdrawn launch")
    func takenBack() {
        var world = World([.task("a"), .task("b")], policy: .atOnce(2))
        world.submit("b")
        world.submit("a")
        world.submit("b", isFromApp: true)
        world.submit("a", isFromApp: true)
        world.end("a", .expired(.userActive, reported: nil))
        #expect(world.launched == ["a"])
        world.end("b")
        #expect(!world.isRunning("b"), "that of another task stays")
    }

    @Test("keeps its spacing when the clock is set back")
    func clockSetBack() {
        var world = World([.task("a")])
        world.submit("a")
        world.submit("a", isFromApp: true)
        world.end("a")
        world.setClock(by: .days(-30))
        world.handle(.timer)
        world.passUntilTimer()
        #expect(world.isRunning("a"))
        #expect(world.elapsed - World([]).elapsed == Interval.minutes(15).nanoseconds)
    }
}
