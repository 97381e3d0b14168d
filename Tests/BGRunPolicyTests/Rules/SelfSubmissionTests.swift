// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@Suite("A submission of an attempt for its own task", .timeLimit(.minutes(5)))
struct SelfSubmissionTests {
    @Test("keeps the spacing under each name of a wildcard")
    func wildcard() {
        var world = World([.task("a.*")], policy: .atOnce(3), permitted: ["a.*"])
        world.submit("a.b")
        let due = world.wall.advanced(by: .minutes(15))
        world.submit("a.c", isFromOwnTask: true)
        #expect(world.reason("a.c") == .factor(.rateLimit, until: due))
        world.end("a.b", after: .seconds(1))
        #expect(!world.isRunning("a.c"))
        world.passUntilTimer()
        #expect(world.isRunning("a.c") && world.wall == due)
        world.submit("a.b", isFromOwnTask: true)
        world.end("a.c")
        #expect(!world.isRunning("a.b"), "names that take turns")
    }

    @Test("keeps the spacing of a transfer, and explain shows it")
    func transfer() throws {
        var world = World([.task("a", kind: .transfer)])
        world.submit("a")
        let due = world.wall.advanced(by: .minutes(15))
        world.submit("a", isFromOwnTask: true)
        world.end("a", after: .seconds(1))
        #expect(world.reason("a") == .factor(.rateLimit, until: due))
        let explanation = try #require(world.engine.explain("a", at: world.wall))
        let line = try #require(explanation.lines.first { $0.name == "rate-limit" })
        #expect(line.needed == "15m apart" && line.until == due)
        world.passUntilTimer()
        #expect(world.isRunning("a") && world.wall == due)
        world.end("a")
        world.submit("a", isFromApp: true)
        #expect(world.isRunning("a"), "another handler of the app does not wait")
    }

    @Test("is refused for a continued task, which has no date to wait for")
    func continued() {
        var world = World([.task("a", kind: .continued)])
        world.submit("a")
        guard case .refused(.notImmediately) = world.submit("a", isFromOwnTask: true) else {
            Issue.record("\(String(describing: world.reply))")
            return
        }
        #expect(!world.isPending("a"))
        world.submit("a", isFromApp: true)
        #expect(world.isPending("a"), "a person who taps again")
        world.handle(.cancel(identifier: "a", ticket: nil))
        world.submit("a", isFromOwnTask: true, after: .minutes(15))
        #expect(world.isPending("a"), "the distance has passed")
    }

    /// A host that starts a second later, with `request` and the facts of `world`.
    private func restarted(
        _ world: World, _ request: TaskRequest, as name: String = "a",
        lastLaunches: [String: WallTime] = [:]
    ) -> World {
        let facts = AppFacts(entries: world.remembered.map { Fact($0.key, $0.value) })
        var next = World(
            [.task(name, kind: request.kind)], policy: world.engine.configuration.policy,
            permitted: [name],
            restoring: Engine.Restoration(
                requests: [request], lastLaunches: lastLaunches, facts: facts, nextRequestID: 9,
                nextAttemptID: 9))
        next.wall = world.wall.advanced(by: .seconds(1))
        next.handle(.start)
        return next
    }

    @Test("keeps the spacing in the next host, unless a user submitted it or it is a retry")
    func restart() throws {
        var world = World([.task("a")])
        let launched = world.wall
        world.submit("a")
        #expect(world.stored.map(\.isSpaced) == [false])
        world.submit("a", isFromApp: true)
        var request = try #require(world.stored.first)
        #expect(request.isSpaced)

        var next = restarted(world, request)
        #expect(!next.isRunning("a"))
        next.passUntilTimer()
        #expect(next.isRunning("a") && next.wall == launched.advanced(by: .minutes(15)))

        request.failures = 1
        #expect(restarted(world, request).isRunning("a"))
        request.failures = 0
        request.isSpaced = false
        #expect(restarted(world, request).isRunning("a"))
    }

    @Test("keeps the spacing in the next host under a name of a wildcard")
    func restartedWildcard() throws {
        var world = World([.task("a.*")], permitted: ["a.*"])
        world.submit("a.b")
        world.submit("a.c", isFromOwnTask: true)
        let request = try #require(world.stored.first)
        #expect(!restarted(world, request, as: "a.*").isRunning("a.c"))
    }

    @Test(
        "keeps the spacing in the next host under `server`",
        arguments: [TaskKind.processing, .appRefresh])
    func restartedServer(kind: TaskKind) throws {
        var world = World([.task("a", kind: kind)], policy: .server)
        let launched = world.wall
        world.submit("a")
        world.submit("a", isFromOwnTask: true)
        let request = try #require(world.stored.first)
        var next = restarted(world, request, lastLaunches: ["a": launched])
        #expect(!next.isRunning("a"))
        next.passUntilTimer()
        #expect(next.isRunning("a") && next.wall == launched.advanced(by: .seconds(10)))
    }

    @Test("is not delayed in the next host by a withdrawn launch")
    func takenBack() throws {
        var world = World([.task("a")])
        world.submit("a", isFromApp: true)
        world.end("a", after: .hours(1))
        world.submit("a", isFromApp: true)
        world.handle(.shutdown)
        world.end("a", .expired(.shutdown, reported: nil))
        let request = try #require(world.stored.first)
        #expect(request.isSpaced && restarted(world, request).isRunning("a"))
    }

    @Test(
        "is not delayed by a launch in the future of a clock that was set back",
        arguments: [(Policy.apple, Int64(15 * 60)), (.server, 10)])
    func clockAhead(policy: Policy, distance: Int64) throws {
        var world = World([.task("a")], policy: policy)
        world.wall = world.wall.advanced(by: .days(3_650))
        let launched = world.wall
        world.submit("a")
        world.submit("a", isFromOwnTask: true)
        var request = try #require(world.stored.first)
        world.setClock(by: .days(-3_650))
        request.submitted = world.wall
        var next = restarted(world, request, lastLaunches: ["a": launched])
        #expect(!next.isRunning("a"))
        next.passUntilTimer()
        #expect(next.isRunning("a"))
        #expect(next.wall <= world.wall.advanced(by: .seconds(distance + 1)))
    }
}
