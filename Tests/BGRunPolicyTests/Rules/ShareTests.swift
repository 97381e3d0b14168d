// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@Suite("Slots that the apps of a machine share", .timeLimit(.minutes(5)))
struct ShareTests {
    private func world() -> World {
        var world = World(["a", "b", "c"].map { .task($0) }, policy: .atOnce(2))
        world.handle(.granted(0))
        for identifier in ["a", "b", "c"] { world.submit(identifier) }
        return world
    }

    @Test("only granted attempts are launched, and explain states that other apps are first")
    func granted() {
        var world = world()
        #expect(world.launchCount == 0 && world.engine.wantsMoreSlots)
        #expect(world.reason("a") == .share)
        let line = world.engine.explain("a", at: world.wall)?.lines.first { $0.name == "share" }
        #expect(line?.satisfied == false)
        #expect(world.wake == nil)
        world.handle(.granted(1))
        #expect(world.launched == ["a"])
        #expect(world.engine.wantsMoreSlots && world.engine.discretionaryAttempts == 1)
    }

    @Test("the unused part of a grant lapses")
    func lapses() {
        var world = World([.task("a"), .task("b")], policy: .atOnce(2))
        world.handle(.granted(0))
        world.submit("a")
        world.handle(.granted(5))
        #expect(world.launched == ["a"] && !world.engine.wantsMoreSlots)
        world.submit("b")
        #expect(world.launched == [] && world.engine.wantsMoreSlots)
    }

    @Test("the app's own limit applies within its grant, and an app at its limit requests nothing")
    func limit() {
        var world = world()
        world.handle(.granted(3))
        #expect(world.launched == ["a", "b"])
        #expect(!world.engine.wantsMoreSlots)
        #expect(world.reason("c") == .concurrency(limit: 2))
    }

    @Test("continued tasks and triggered attempts need no grant")
    func continued() {
        var world = World(
            [.task("watch", kind: .continued), .task("a"), .task("b")], policy: .atOnce(2))
        world.handle(.granted(0))
        world.submit("watch")
        #expect(world.launched == ["watch"])
        world.handle(.trigger(Submission(identifier: "a"), ticket: 7))
        #expect(world.launched == ["a"])
        world.submit("b")
        world.handle(.granted(1))
        #expect(world.launched == ["b"])
    }

    @Test("a triggered attempt is not revoked for another app, even after a long time")
    func forced() {
        var world = world()
        world.handle(.trigger(Submission(identifier: "a"), ticket: 7))
        world.handle(.granted(1), after: .seconds(30))
        #expect(world.launched == ["b"])
        world.handle(.shareReclaimed(2))
        #expect(world.expiredIdentifiers == ["b"])
    }

    @Test("a forecast assumes free slots")
    func forecast() {
        let world = world()
        let forecast = world.engine.forecast(
            to: world.wall.advanced(by: .hours(1)), from: world.now)
        #expect(forecast.launches.count == 3)
    }

    @Test("the attempt that has run longest is revoked first")
    func reclaimed() {
        var world = world()
        world.handle(.granted(1))
        world.handle(.granted(1), after: .seconds(30))
        world.handle(.shareReclaimed(1))
        #expect(world.expiredIdentifiers == ["a"])
        world.handle(.shareReclaimed(1))
        #expect(world.expiredIdentifiers == ["b"], "a has been told already")
    }
}
