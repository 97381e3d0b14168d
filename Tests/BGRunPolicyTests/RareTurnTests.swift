// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@Suite("Rules in rare cases", .timeLimit(.minutes(5)))
struct RareTurnTests {
    @Test("continued work that must start at once is given up with its host")
    func onlyImmediate() {
        let declaration = TaskDeclaration.task("a", kind: .continued, strategy: .fail)
        let now = WallTime(milliseconds: 1_700_000_000_000)
        #expect(
            declaration.aftermath(of: .interrupted, failures: 0, launched: now, now: now)
                == .gaveUp(next: nil))
        let patient = TaskDeclaration.task("a", kind: .continued)
        #expect(
            patient.aftermath(of: .interrupted, failures: 0, launched: now, now: now) == .requeue)
    }

    @Test("after a withdrawn launch the spacing counts from the launch before it")
    func takenBack() {
        var world = World([.task("a", kind: .push)])
        world.submit("a")
        let first = world.wall
        world.end("a", after: .seconds(5))
        world.pass(.hours(2))
        world.submit("a")
        #expect(world.isRunning("a"))
        world.handle(.shutdown)
        world.end("a", .expired(.shutdown, reported: nil))
        #expect(world.engine.appFacts.spacedFrom["a"] == first)
    }

    @Test("a submission of a handler stays when its attempt is given up")
    func superseded() {
        var world = World([.task("a", every: .hours(1))], policy: .server)
        world.submit("a")
        world.submit("a", delay: .minutes(3))
        world.end("a", .failed)
        #expect(world.delay(of: "a") == .minutes(3))
    }

    @Test("a period that begins at this moment is not missed", arguments: [1, 2, 5])
    func onTime(periods: Int64) {
        let declaration = TaskDeclaration.task("a", every: .hours(1), catchUp: .none)
        let launched = WallTime(milliseconds: 1_700_000_000_000)
        let now = launched.advanced(by: .hours(periods))
        #expect(declaration.nextPeriod(afterLaunch: launched, now: now) == now)
    }

    @Test("a retry at the beginning of the next period is not merged into it")
    func retryOnTime() {
        let rule = RetryRule(backoff: .linear, from: .hours(1), to: .hours(1), attempts: 3)
        let declaration = TaskDeclaration.task("a", every: .hours(1), retry: rule)
        let now = WallTime(milliseconds: 1_700_000_000_000)
        #expect(
            declaration.aftermath(of: .failed, failures: 0, launched: now, now: now)
                == .retry(after: .hours(1)))
    }

    @Test("no fact of the app is later than a clock that was set back")
    func facts() throws {
        var world = World([.task("a", kind: .push)])
        world.handle(.appOpened(ticket: 1))
        world.submit("a")
        world.end("a", after: .seconds(1))
        world.setClock(by: .days(-1))
        world.handle(.timer)
        let facts = world.engine.appFacts
        #expect(try #require(facts.lastForeground) <= world.wall)
        #expect(try #require(facts.spacedFrom["a"]) <= world.wall)
        let launch = try #require(facts.pushLaunches.last)
        #expect(launch <= world.wall)
    }

    @Test("under contention a clock that was set back restarts the wait with the same length")
    func contended() {
        var policy = Policy.apple
        policy.pressureWait = .minutes(10)
        var world = World(
            [.task("a", kind: .push)], policy: policy, device: DeviceState(pressure: .no))
        world.handle(.deviceChanged(DeviceState(pressure: .yes)))
        world.setClock(by: .hours(-5))
        world.submit("a")
        #expect(
            world.reason("a") == .factor(.pressure, until: world.wall.advanced(by: .minutes(10))))
        world.handle(.timer, after: .minutes(10))
        #expect(world.isRunning("a"))
    }

    @Test("an app counts as used until the last instant of its eligibility")
    func lastUse() {
        let opened = WallTime(milliseconds: 1_700_000_000_000)
        var facts = AppFacts()
        facts.lastForeground = opened
        let end = opened.advanced(by: Policy.apple.usageEligibility)
        #expect(facts.appUsageVerdict(policy: .apple, now: end) == .satisfied)
        #expect(
            facts.appUsageVerdict(policy: .apple, now: end.advanced(by: .milliseconds(1)))
                == .blocked(until: nil))
    }
}
