// SPDX-License-Identifier: Apache-2.0

import BGRunCore
import Testing

@Suite("Refreshes come before the app is used")
struct UsageModelTests {
    /// Monday 2023-11-13 00:00 UTC.
    private let monday = WallTime(milliseconds: 1_699_833_600_000)

    /// Opened at 7 on each of so many mornings from `monday` on.
    private func mornings(_ count: Int64) -> UsageModel {
        var model = UsageModel()
        for day in 0..<count {
            model.noteUse(at: monday.advanced(by: .hours(24 * day + 7)))
        }
        return model
    }

    @Test("nothing is predicted before enough uses are known")
    func minimum() {
        #expect(mornings(2).nextUse(after: monday, minimum: 5) == nil)
        #expect(mornings(5).nextUse(after: monday, minimum: 5) != nil)
    }

    @Test("the next use is the next hour of the week with at least half of the busiest one's")
    func nextUse() {
        let model = mornings(5)
        #expect(
            model.nextUse(after: monday, minimum: 5) == monday.advanced(by: .hours(7)))
        #expect(
            model.nextUse(after: monday.advanced(by: .hours(8)), minimum: 5)
                == monday.advanced(by: .hours(31)))
        // Not used on Saturday and Sunday: Monday comes next.
        #expect(
            model.nextUse(after: monday.advanced(by: .hours(24 * 4 + 8)), minimum: 5)
                == monday.advanced(by: .hours(24 * 7 + 7)))
    }

    @Test("what is a week older weighs half")
    func fades() {
        var model = mornings(5)
        for week: Int64 in 2...4 {
            for _ in 0..<5 {
                model.noteUse(at: monday.advanced(by: .hours(24 * 7 * week + 20)))
            }
        }
        #expect(
            model.nextUse(after: monday, minimum: 5) == monday.advanced(by: .hours(20)))
    }

    @Test("no date traps", arguments: [Int64.min, -1, 0, .max])
    func extremes(date: Int64) {
        var model = UsageModel()
        for _ in 0..<9 { model.noteUse(at: WallTime(milliseconds: date)) }
        _ = model.nextUse(after: WallTime(milliseconds: date), minimum: 1)
        #expect(model.counts.max() ?? 0 > 0)
    }

    private func world(policy: Policy = .apple) -> World {
        var facts = AppFacts()
        facts.usage = mornings(5)
        var world = World(
            [.task("a", kind: .appRefresh)], policy: policy,
            restoring: Engine.Restoration(facts: facts))
        world.wall = monday.advanced(by: .days(7))
        return world
    }

    @Test("an app that is opened every morning is refreshed half an hour before")
    func placed() {
        var world = world()
        world.submit("a", delay: .minutes(15))
        let due = world.wall.advanced(by: .minutes(6 * 60 + 30))
        #expect(
            world.engine.pendingReason("a", at: world.wall) == .factor(.appUsage, until: due))
        world.passUntilTimer()
        #expect(world.launched == ["a"])
        #expect(world.wall == due)
    }

    @Test("in the half hour before, and under server, nothing is put off")
    func notPlaced() {
        var soon = world()
        soon.pass(.minutes(6 * 60 + 40))
        soon.submit("a")
        #expect(soon.isRunning("a"))
        var server = world(policy: .server)
        server.submit("a")
        #expect(server.isRunning("a"))
    }

    @Test("what is learned moves a refresh that waits")
    func moved() {
        var world = world()
        world.submit("a")
        world.pass(.hours(3))
        for _ in 0..<9 { world.handle(.appOpened(ticket: nil)) }
        // Three in the morning is the busiest hour now, and it has begun.
        #expect(world.isRunning("a"))
    }
}
