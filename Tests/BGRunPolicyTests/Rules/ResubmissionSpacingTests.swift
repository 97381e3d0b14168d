// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@Suite("A handler that submits its own identifier under server", .timeLimit(.minutes(5)))
struct ResubmissionSpacingTests {
    private let spacing = Interval.seconds(10)

    @Test(
        "is launched again at most every ten seconds",
        arguments: [TaskKind.appRefresh, .processing, .push, .transfer])
    func loop(kind: TaskKind) {
        var world = World([.task("a", kind: kind)], policy: .server)
        let start = world.wall
        world.submit("a")
        for _ in 0..<20 {
            let due = world.wall.advanced(by: spacing)
            world.submit("a", isFromOwnTask: true)
            world.end("a", after: .milliseconds(1))
            #expect(world.reason("a") == .factor(.rateLimit, until: due))
            world.passUntilTimer()
            #expect(world.isRunning("a") && world.wall == due)
        }
        #expect(world.launchCount == 21)
        #expect(world.wall == start.advanced(by: .seconds(200)))
    }

    @Test("is refused meanwhile as continued work, which has no date to wait for")
    func continued() {
        var world = World([.task("a", kind: .continued)], policy: .server)
        world.submit("a")
        guard case .refused(.notImmediately) = world.submit("a", isFromOwnTask: true) else {
            Issue.record("\(String(describing: world.reply))")
            return
        }
        world.end("a", after: spacing)
        #expect(!world.isRunning("a"))
        world.submit("a")
        world.submit("a", isFromOwnTask: true, after: spacing)
        world.end("a")
        #expect(world.isRunning("a"), "the distance has passed")
    }

    @Test("is not delayed by an hour if the clock is set back by one while it runs")
    func clockSetBack() {
        var world = World([.task("a")], policy: .server)
        world.submit("a")
        world.setClock(by: .hours(-1))
        world.submit("a", isFromOwnTask: true)
        let due = world.wall.advanced(by: spacing)
        world.end("a", after: .milliseconds(1))
        #expect(world.reason("a") == .factor(.rateLimit, until: due))
        world.passUntilTimer()
        #expect(world.isRunning("a") && world.wall == due)
    }

    @Test("is launched at once after an attempt as long as the spacing")
    func long() {
        var world = World([.task("a")], policy: .server)
        world.submit("a")
        world.submit("a", isFromOwnTask: true)
        world.end("a", after: spacing)
        #expect(world.isRunning("a"))
    }

    @Test("waits for its own later date")
    func dated() {
        var world = World([.task("a")], policy: .server)
        world.submit("a")
        let due = world.wall.advanced(by: .minutes(1))
        world.submit("a", delay: .minutes(1), isFromOwnTask: true)
        world.end("a")
        #expect(world.reason("a") == .notBefore(due))
        world.passUntilTimer()
        #expect(world.isRunning("a") && world.wall == due)
    }

    @Test("delays neither a user's requests, nor those of other handlers, nor other identifiers")
    func others() {
        var world = World(
            [.task("a.*"), .task("b")], policy: .server, permitted: ["a.*", "b"])
        world.submit("a.b")
        world.submit("a.c", isFromOwnTask: true)
        world.submit("b", isFromApp: true)
        #expect(world.isRunning("a.c") && world.isRunning("b"))
        for isFromApp in [true, false] {
            world.submit("a.b", isFromOwnTask: true)
            world.end("a.b")
            #expect(!world.isRunning("a.b"))
            world.submit("a.b", isFromApp: isFromApp)
            #expect(world.isRunning("a.b"))
        }
        // Another handler submits the running identifier.
        world.submit("b", isFromApp: true)
        world.end("b")
        #expect(world.isRunning("b"))
    }

    @Test("waits with a reason that explain shows", arguments: [TaskKind.appRefresh, .push])
    func explained(kind: TaskKind) throws {
        var world = World([.task("a", kind: kind)], policy: .server)
        world.handle(.trigger(Submission(identifier: "a"), ticket: nil))
        let due = world.wall.advanced(by: spacing)
        world.submit("a", isFromOwnTask: true)
        world.end("a", after: .seconds(1))
        #expect(world.reason("a") == .factor(.rateLimit, until: due), "also after a trigger")
        let explanation = try #require(world.engine.explain("a", at: world.wall))
        let line = try #require(explanation.lines.first { $0.name == "rate-limit" })
        #expect(line.needed.hasPrefix("10s apart"))
        #expect(!line.satisfied && line.until == due && explanation.next == due)
    }

    @Test("keeps the spacing when uses of the app are learned meanwhile")
    func opened() {
        var world = World([.task("a", kind: .appRefresh)], policy: .server)
        world.submit("a")
        world.submit("a", isFromOwnTask: true)
        world.end("a")
        world.handle(.appOpened(ticket: nil))
        #expect(!world.isRunning("a"))
        world.passUntilTimer()
        #expect(world.isRunning("a"))
    }

    @Test("is launched without spacing if the manifest permits it")
    func none() {
        var policy = Policy.server
        policy.resubmissionSpacing = .zero
        var world = World([.task("a")], policy: policy)
        world.submit("a")
        world.submit("a", isFromOwnTask: true)
        world.end("a")
        #expect(world.isRunning("a"))
    }
}
