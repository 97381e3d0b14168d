// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@Suite("A temporary shortage of descriptors, processes or memory", .timeLimit(.minutes(5)))
struct ShortageTests {
    private func world(_ count: Int = 4, atOnce: Int = 8) -> World {
        var policy = Policy.atOnce(atOnce)
        policy.shortageWait = .milliseconds(200)
        policy.shortageWaitMaximum = .seconds(1)
        var world = World((1...count).map { .task("t\($0)") }, policy: policy)
        for number in 1...count { world.submit("t\(number)") }
        return world
    }

    /// Reports that these launches failed for lack of descriptors.
    private func deferLaunch(_ world: inout World, _ attempts: [Int64]) {
        world.handle(.launchDeferred(attempts, .descriptors))
    }

    @Test("ends no request: it waits, counts no attempt, and explain shows the reason")
    func waits() throws {
        var world = World([.task("a")], policy: .atOnce(2))
        world.submit("a")
        let attempt = try #require(world.engine.runningAttempt("a"))
        let before = attempt.request
        world.handle(.launchDeferred([attempt.id], .processes))
        #expect(world.engine.pendingRequest("a") == before)
        #expect(world.engine.hasNoAttempt && world.launched == [])
        #expect(world.actions.contains(.withdraw(attempt: attempt.id)))
        #expect(world.actions.contains(.store(before)))
        #expect(world.reason("a") == .resources(.processes))
        let line = world.engine.explain("a", at: world.wall)?.lines.first { $0.name == "resources" }
        #expect(line?.satisfied == false)
        #expect(world.engine.pendingSentence("a", at: world.wall)?.contains("processes") == true)
    }

    @Test("doubles the delay of the next try up to its maximum, and a success resets it")
    func backoff() {
        var world = world(1)
        var waits: [Int64] = []
        for _ in 0..<5 {
            deferLaunch(&world, world.engine.runningIDs)
            waits.append((world.wake ?? 0) - world.elapsed)
            world.passUntilTimer()
            #expect(world.launched == ["t1"])
        }
        #expect(waits.map { $0 / 1_000_000 } == [200, 400, 800, 1_000, 1_000])
        // The attempt runs; after a while the limit is lifted.
        while world.passUntilTimer(), world.engine.runningAttempt("t1") != nil,
            world.engine.explain("t1", at: world.wall)?.lines.contains(where: {
                $0.name == "resources"
            }) == true
        {}
        #expect(
            world.engine.explain("t1", at: world.wall)?.lines.contains { $0.name == "resources" }
                == false)
    }

    @Test(
        "keeps the request of an attempt that had to wait until its time ended",
        arguments: Resource.allCases, [Strategy.queue, .fail])
    func outlasted(_ resource: Resource, _ strategy: Strategy) throws {
        var world = World(
            [.task("a", kind: .continued, strategy: strategy)], policy: .atOnce(2))
        world.submit("a")
        let request = try #require(world.engine.runningAttempt("a")).request
        world.end("a", .expired(StopReason(shortageOf: resource), reported: false))
        #expect(world.engine.pendingRequest("a") == request)
        #expect(world.reason("a") == .resources(resource))
        #expect((world.wake ?? 0) - world.elapsed == 200_000_000)
        world.passUntilTimer()
        #expect(world.launched == ["a"])
    }

    @Test("does not wait longer for each attempt of the same shortage")
    func together() {
        var world = world(3)
        world.pass(.seconds(30))
        for number in 1...3 {
            world.end("t\(number)", .expired(.processShortage, reported: false))
        }
        #expect((world.wake ?? 0) - world.elapsed == 200_000_000)
    }

    @Test("counts the launch of an attempt that had to wait, so that a false report gains nothing")
    func launchCounts() {
        var world = World([.task("a", kind: .appRefresh)], policy: .apple)
        world.submit("a")
        world.end("a", .expired(.memoryShortage, reported: nil), after: .seconds(30))
        #expect(world.isPending("a"))
        let began = world.wall.advanced(by: .seconds(-30))
        while world.launched.isEmpty, world.passUntilTimer() {}
        #expect(world.wall == began.advanced(by: .minutes(15)))
    }

    @Test("neither causes nor clears a penalty for missing reports")
    func penalty() {
        var world = World([.task("a")])
        func runAgain() {
            while !world.isRunning("a"), world.passUntilTimer() {}
            #expect(world.isRunning("a"))
        }
        world.submit("a")
        world.end("a", .expired(.descriptorShortage, reported: nil))
        #expect(world.remembered["missed:a"] == nil)
        runAgain()
        world.end("a", .expired(.time, reported: nil))
        world.submit("a")
        runAgain()
        let before = world.remembered["missed:a"]
        world.end("a", .expired(.processShortage, reported: nil))
        #expect(before != nil && world.remembered["missed:a"] == before)
    }

    @Test("delays nothing while fewer attempts run than fitted, as explain shows")
    func fewerThanFitted() throws {
        var world = World(
            [.task("a"), .task("b"), .task("c", requires: .externalPower)], policy: .atOnce(2),
            device: DeviceState(externalPower: .no))
        for identifier in ["a", "b", "c"] { world.submit(identifier) }
        deferLaunch(&world, [try #require(world.engine.runningAttempt("b")).id])
        func line() -> Explanation.Line? {
            world.engine.explain("c", at: world.wall)?.lines.first { $0.name == "resources" }
        }
        #expect(line()?.satisfied == false)
        world.end("a")
        world.end("b")
        #expect(world.engine.hasNoAttempt && line()?.satisfied == true)
    }

    @Test("begins at the first launch that failed, as explain shows")
    func since() {
        var world = world(1)
        let begin = world.wall
        for _ in 0..<2 {
            deferLaunch(&world, world.engine.runningIDs)
            let lines = world.engine.explain("t1", at: world.wall)?.lines
            #expect(lines?.first { $0.name == "resources" }?.since == begin)
            world.passUntilTimer()
        }
        #expect(world.wall > begin)
    }

    @Test("lets as many attempts run as fit, and the next one after an end")
    func asManyAsFit() {
        var world = world(4)
        let ids = world.engine.runningIDs
        #expect(ids.count == 4)
        deferLaunch(&world, Array(ids[2...]))
        #expect(world.engine.runningIDs == Array(ids[..<2]))
        #expect(world.launched == [])
        world.handle(.attemptEnded(attempt: ids[0], .completed))
        #expect(world.launched == ["t3"])
    }

    @Test("delays continued work and requests that are submitted meanwhile")
    func others() {
        var world = World([.task("a"), .task("c", kind: .continued)], policy: .atOnce(2))
        world.submit("a")
        world.handle(.launchDeferred(world.engine.runningIDs, .memory))
        world.submit("c")
        #expect(world.launched == [])
        #expect(world.reason("c") == .resources(.memory))
        world.passUntilTimer()
        #expect(world.launchCount == 2)
    }

    @Test("lets a new submission replace the request of a deferred launch")
    func replaced() throws {
        var world = World([.task("a")], policy: .atOnce(2))
        world.submit("a")
        let first = try #require(world.engine.runningAttempt("a"))
        world.submit("a")
        let second = try #require(world.engine.pendingRequest("a"))
        world.handle(.launchDeferred([first.id], .descriptors))
        #expect(world.engine.pendingRequest("a") == second)
        world.passUntilTimer()
        #expect(world.engine.runningAttempt("a")?.request == second)
    }

    @Test("is reported once at its beginning and once at its end")
    func records() {
        var world = world(2)
        deferLaunch(&world, world.engine.runningIDs)
        #expect(world.records.contains(.shortage(.descriptors)))
        world.passUntilTimer()
        deferLaunch(&world, world.engine.runningIDs)
        #expect(!world.records.contains(.shortage(.descriptors)))
        var isOver = false
        for _ in 0..<20 where world.passUntilTimer() {
            isOver = isOver || world.records.contains(.shortageOver(.descriptors))
        }
        #expect(isOver)
    }

    @Test("withdraws launches, which do not space the next one")
    func spacing() {
        var world = World([.task("r", kind: .appRefresh)])
        world.submit("r")
        world.handle(.launchDeferred(world.engine.runningIDs, .processes))
        world.passUntilTimer()
        #expect(world.launched == ["r"])
    }

    @Test("withdraws launches, which return their budget to running attempts")
    func budget() {
        var world = World.pushes("a", "b")
        world.submit("a")
        let whole = world.engine.timeRemaining(attempt: 1, at: world.now)
        world.submit("b")
        #expect(world.engine.timeRemaining(attempt: 1, at: world.now) != whole)
        world.handle(.launchDeferred([2], .memory))
        #expect(world.engine.timeRemaining(attempt: 1, at: world.now) == whole)
    }

    @Test("applies also to continued tasks beyond the limit of attempts, which are tried in steps")
    func manyContinued() {
        var policy = Policy.atOnce(1)
        policy.concurrencyLimits.continued = 8
        let identifiers = ["a", "b", "c"]
        var world = World(identifiers.map { .task($0, kind: .continued) }, policy: policy)
        for identifier in identifiers { world.submit(identifier) }
        world.handle(.launchDeferred([1, 2, 3], .processes))
        world.passUntilTimer()
        #expect(world.launched == ["a"])
        world.passUntilTimer()
        #expect(world.launched == ["b", "c"])
    }

    @Test("does not affect the running attempts")
    func unknown() {
        var world = world(1)
        world.handle(.launchDeferred([99], .processes))
        #expect(world.engine.runningIDs.count == 1 && world.records == [])
    }
}

extension Engine {
    fileprivate var runningIDs: [Int64] {
        (1...8).compactMap { runningAttempt("t\($0)")?.id }
            + ["a", "c", "r"].compactMap { runningAttempt($0)?.id }
    }
}
