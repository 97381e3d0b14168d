// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@Suite("What an app submits again", .timeLimit(.minutes(1)))
struct ResubmissionTests {
    /// Launches in a day of a refresh that the app asks for in 15 minutes, again at each interval.
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
        "a request that the app submits again does not wait longer",
        arguments: [(Policy.apple, Int64(10)), (.server, 5), (.apple, 1), (.server, 14)])
    func notPostponed(policy: Policy, minutes: Int64) {
        #expect((90...97).contains(launches(policy, askedEvery: .minutes(minutes))))
    }

    @Test("it keeps the date and its parameters are the new ones")
    func kept() {
        var world = World([.task("a", kind: .appRefresh)])
        world.submit("a", delay: .minutes(15), isFromApp: true)
        world.pass(.minutes(10))
        world.submit("a", delay: .minutes(15), parameters: "{}", isFromApp: true)
        #expect(world.delay(of: "a") == .minutes(5))
        #expect(world.engine.pendingRequest("a")?.parameters == "{}")
        #expect(world.stored.map(\.earliest) == [world.wall.advanced(by: .minutes(5))])
        // An app computes its date before it submits it, so that the delay differs by a little.
        world.submit("a", delay: .milliseconds(15 * 60_000 + 900), isFromApp: true)
        #expect(world.delay(of: "a") == .minutes(5))
    }

    @Test("a longer delay, a shorter one and a person are taken at their word")
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

    @Test("one that was due stays due, and keeps the time it has waited")
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

    @Test("processing that submits itself without a date is spaced under apple")
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

    @Test("explain says what it waits for")
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
        #expect(!line.isSatisfied && line.until == due && explanation.next == due)
    }

    @Test("after its attempt too, also for a date that comes before")
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

    @Test("another identifier of a wildcard and a task that never ran are not spaced")
    func free() {
        var world = World([.task("a.*")], policy: .atOnce(3), permitted: ["a.*"])
        world.submit("a.b")
        world.submit("a.c", isFromApp: true)
        #expect(world.isRunning("a.c"))
        world.submit("a.b", isFromApp: true)
        world.end("a.b")
        #expect(!world.isRunning("a.b"), "its own attempt")
    }

    @Test("a launch that was taken back does not hold back what the handler has submitted")
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

    @Test("a clock that is set back takes the distance along")
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
