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

    @Test("an app that is opened every morning is predicted every morning, week after week")
    func habit() {
        for day: Int64 in 7..<70 {
            let model = mornings(day)
            let midnight = monday.advanced(by: .hours(24 * day))
            #expect(
                model.nextUse(after: midnight, minimum: 5) == midnight.advanced(by: .hours(7)),
                "day \(day)")
        }
    }

    @Test("several uses in one hour count as one")
    func bursts() {
        var model = UsageModel()
        for minute: Int64 in 0..<60 {
            model.noteUse(at: monday.advanced(by: .minutes(minute)))
        }
        #expect(model.nextUse(after: monday, minimum: 1) == monday)
        #expect(model.nextUse(after: monday, minimum: 2) == nil)
    }

    @Test("what is learned is stored and read back")
    func stored() {
        var facts = AppFacts()
        facts.usage = mornings(20)
        #expect(AppFacts(entries: facts.entries) == facts)
    }

    @Test("a refresh of a periodic task is put off by half its interval at most")
    func halfInterval() {
        var facts = AppFacts()
        facts.usage = mornings(7)
        var world = World(
            [.task("a", kind: .appRefresh, every: .hours(1))],
            restoring: Engine.Restoration(facts: facts))
        world.wall = monday.advanced(by: .days(7))
        world.submit("a")
        #expect(world.isRunning("a"))
        world.end("a")
        #expect(world.delay(of: "a") == .hours(1))
        #expect(world.reason("a") == .notBefore(world.wall.advanced(by: .hours(1))))
    }

    @Test("a use in the week before weighs half")
    func fades() {
        var model = mornings(5)
        for week: Int64 in 1...4 {
            model.noteUse(at: monday.advanced(by: .hours(24 * 7 * week + 20)))
        }
        let later = monday.advanced(by: .days(35))
        #expect(model.nextUse(after: later, minimum: 1) == later.advanced(by: .hours(20)))
    }

    @Test("no date traps", arguments: [Int64.min, -1, 0, .max])
    func extremes(date: Int64) {
        var model = UsageModel()
        for _ in 0..<9 { model.noteUse(at: WallTime(milliseconds: date)) }
        _ = model.nextUse(after: WallTime(milliseconds: date), minimum: .max)
        _ = model.nextUse(after: WallTime(milliseconds: 0), minimum: 1)
        #expect(model.hours.contains { $0 != nil })
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
        #expect(!world.isRunning("a"))
        // Three in the morning is now one of the hours in which the app is opened, and it has begun.
        world.handle(.appOpened(ticket: nil))
        world.pass(.days(7))
        world.handle(.appOpened(ticket: nil))
        #expect(world.isRunning("a"))
    }
}
