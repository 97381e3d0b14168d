// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BGRunPolicy

@Suite("The prediction of uses", .timeLimit(.minutes(5)))
struct UsageModelTests {
    /// Monday 2023-11-13 00:00 UTC.
    private let monday = WallTime(milliseconds: 1_699_833_600_000)

    /// An app that was opened at 07:00 on each of `count` days from `monday` on.
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

    @Test("the next use is the next hour with at least half the uses of the busiest hour")
    func nextUse() {
        let model = mornings(5)
        #expect(
            model.nextUse(after: monday, minimum: 5) == monday.advanced(by: .hours(7)))
        #expect(
            model.nextUse(after: monday.advanced(by: .hours(8)), minimum: 5)
                == monday.advanced(by: .hours(31)))
        // The app is not used on Saturday and Sunday, so that the next use is on Monday.
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

    @Test("several uses in an hour count as one")
    func bursts() {
        var model = UsageModel()
        for minute: Int64 in 0..<60 {
            model.noteUse(at: monday.advanced(by: .minutes(minute)))
        }
        #expect(model.nextUse(after: monday, minimum: 1) == monday)
        #expect(model.nextUse(after: monday, minimum: 2) == nil)
        // Two hours with many uses are two uses.
        for minute: Int64 in 60..<120 {
            model.noteUse(at: monday.advanced(by: .minutes(minute)))
        }
        #expect(model.nextUse(after: monday, minimum: 2) == monday)
        #expect(model.nextUse(after: monday, minimum: 3) == nil)
    }

    @Test("the learned uses are stored and restored")
    func stored() {
        var facts = AppFacts()
        facts.usage = mornings(20)
        #expect(AppFacts(entries: facts.entries) == facts)
    }

    @Test("a periodic refresh waits for the predicted use like any other")
    func period() {
        var world = world(.task("a", kind: .appRefresh, every: .hours(1)))
        world.submit("a")
        world.end("a")
        #expect(world.delay(of: "a") == .hours(1))
        let due = monday.advanced(by: .days(7)).advanced(by: .minutes(6 * 60 + 30))
        #expect(world.reason("a") == .factor(.appUsage, until: due))
    }

    @Test("a refresh waits at most a day after the last one, even if the app is rarely opened")
    func seldom() {
        var facts = AppFacts()
        facts.lastForeground = monday
        facts.usage.noteUse(at: monday)
        var world = World(
            [.task("a", kind: .appRefresh)], restoring: Engine.Restoration(facts: facts))
        world.wall = monday.advanced(by: .hours(10))
        world.submit("a")
        #expect(world.isRunning("a"), "the first one waits for nothing")
        world.end("a", after: .minutes(1))
        world.submit("a")
        let due = monday.advanced(by: .hours(34))
        #expect(world.reason("a") == .factor(.appUsage, until: due))
        let line = world.engine.explain("a", at: world.wall)?.lines.first { $0.name == "app-usage" }
        #expect(line?.current == "placed in 23h59m")
        #expect(line?.needed == "30m before a predicted use, or 1d after the app's last refresh")
        world.passUntilTimer()
        #expect(world.isRunning("a") && world.wall == due)
    }

    @Test("a retry does not wait for the next use")
    func retry() {
        var world = world(
            .task("a", kind: .appRefresh, retry: RetryRule(from: .minutes(20), to: .hours(5))))
        world.submit("a")
        world.end("a", .failed)
        #expect(world.reason("a") == .notBefore(world.wall.advanced(by: .minutes(20))))
    }

    @Test("the date of a calendar is not delayed")
    func calendar() throws {
        let cron = try CronSchedule("0 * * * *", seeds: CronSeeds(machine: "", identifier: "a"))
        let hourly = CalendarSchedule([.init(.cron(cron), in: .utc, text: "0 * * * *")])
        var world = world(.task("a", kind: .appRefresh, schedule: .calendar(hourly)))
        world.submit("a")
        world.end("a")
        #expect(world.reason("a") == .notBefore(world.wall.advanced(by: .hours(1))))
    }

    @Test("refreshes end with the eligibility of the app, and resume when it is opened")
    func eligibility() {
        var world = world()
        world.handle(.appOpened(ticket: nil))
        world.pass(.days(14))
        world.submit("a")
        #expect(world.isRunning("a"), "the last moment")
        world.end("a", after: .milliseconds(1))
        world.pass(.days(2))
        world.submit("a")
        #expect(world.reason("a") == .factor(.appUsage, until: nil))
        let line = world.engine.explain("a", at: world.wall)?.lines.first { $0.name == "app-usage" }
        #expect(line?.needed == "opened within 14d" && line?.satisfied == false)
        world.handle(.appOpened(ticket: nil))
        #expect(world.launched == ["a"])
    }

    @Test("the hours of use are those of the time zone, also across its changes")
    func zone() throws {
        let rule = try #require(RecurringRule(posix: "CET-1CEST,M3.5.0,M10.5.0/3"))
        let berlin = ZoneRules(name: "Berlin", transitions: [], offsets: [3_600], rule: rule)
        var model = UsageModel()
        // Monday to Friday at 07:00 in Berlin, in the last week of winter time of 2024.
        let march = WallTime(milliseconds: 1_711_324_800_000)
        for day: Int64 in 0..<5 {
            model.noteUse(at: march.advanced(by: .hours(24 * day + 6)), in: berlin)
        }
        let next = march.advanced(by: .days(7))
        #expect(
            model.nextUse(after: next, minimum: 5, in: berlin) == next.advanced(by: .hours(5)),
            "07:00 of summer time is 05:00 UTC")
        #expect(model.nextUse(after: next, minimum: 5) == next.advanced(by: .hours(7)))
    }

    @Test("the engine counts uses on the clocks of its zone")
    func engineZone() {
        let zone = ZoneRules(name: "east", transitions: [], offsets: [5 * 3_600], rule: nil)
        var world = World([], usageZone: zone)
        world.wall = monday.advanced(by: .hours(2))
        world.handle(.appOpened(ticket: nil))
        #expect(world.remembered.keys.filter { $0.hasPrefix("use:") } == ["use:7"])
    }

    @Test("an hour that was used is expected for two weeks")
    func expected() {
        var model = UsageModel()
        model.noteUse(at: monday)
        for week: Int64 in 1...3 {
            let monday = monday.advanced(by: .days(7 * week))
            let date = monday.advanced(by: .days(-1))
            #expect(model.nextUse(after: date, minimum: 0) == (week < 3 ? monday : nil))
        }
        model.noteUse(at: monday.advanced(by: .days(7)))
        let late = monday.advanced(by: .days(20))
        #expect(model.nextUse(after: late, minimum: 0) == monday.advanced(by: .days(21)))
        #expect(model.nextUse(after: late.advanced(by: .days(7)), minimum: 0) == nil)
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

    @Test("no date crashes the model", arguments: [Int64.min, -1, 0, .max])
    func extremes(date: Int64) {
        var model = UsageModel()
        for _ in 0..<9 { model.noteUse(at: WallTime(milliseconds: date)) }
        _ = model.nextUse(after: WallTime(milliseconds: date), minimum: .max)
        _ = model.nextUse(after: WallTime(milliseconds: 0), minimum: 1)
        #expect(model.hours.contains { $0 != nil })
    }

    /// A world a week after `monday`: the app was last opened on Friday, and last refreshed on Sunday.
    private func world(
        _ task: TaskDeclaration = .task("a", kind: .appRefresh), policy: Policy = .apple
    ) -> World {
        var facts = AppFacts()
        facts.usage = mornings(5)
        facts.lastForeground = monday.advanced(by: .hours(4 * 24 + 7))
        facts.spacedFrom["a"] = monday.advanced(by: .days(6))
        var world = World([task], policy: policy, restoring: Engine.Restoration(facts: facts))
        world.wall = monday.advanced(by: .days(7))
        return world
    }

    @Test("an app that is opened every morning is refreshed half an hour before")
    func placed() {
        var world = world()
        world.submit("a")
        world.end("a")
        world.submit("a", delay: .minutes(15))
        let due = world.wall.advanced(by: .minutes(6 * 60 + 30))
        #expect(
            world.engine.pendingReason("a", at: world.wall) == .factor(.appUsage, until: due))
        world.passUntilTimer()
        #expect(world.launched == ["a"])
        #expect(world.wall == due)
    }

    @Test("nothing is delayed in the half hour before a use, or under `server`")
    func notPlaced() {
        var soon = world()
        soon.handle(.deviceChanged(DeviceState(externalPower: .yes)))
        soon.pass(.minutes(6 * 60 + 30))
        for quarter in 0..<4 {
            soon.submit("a")
            #expect(soon.isRunning("a"), "quarter \(quarter)")
            soon.end("a", after: .minutes(15))
        }
        soon.submit("a")
        #expect(!soon.isRunning("a"), "half past seven")
        var server = world(policy: .server)
        server.submit("a")
        server.end("a")
        server.submit("a")
        #expect(server.isRunning("a"))
    }

    @Test("a learned use moves a waiting refresh")
    func moved() {
        var world = world()
        world.submit("a")
        world.end("a")
        world.submit("a")
        world.pass(.hours(3))
        #expect(!world.isRunning("a"))
        // 03:00 becomes a habitual hour, and it is now.
        world.handle(.appOpened(ticket: nil))
        #expect(world.isRunning("a"))
    }

    @Test("a clock set back moves a refresh to half an hour before the use")
    func setBack() {
        var world = world()
        world.submit("a")
        world.end("a")
        world.submit("a")
        let due = world.wall.advanced(by: .minutes(6 * 60 + 30))
        world.setClock(by: .hours(-3))
        world.handle(.timer)
        #expect(world.reason("a") == .factor(.appUsage, until: due))
        world.passUntilTimer()
        #expect(world.launched == ["a"] && world.wall == due)
    }

    @Test("a withdrawn launch does not delay the next one")
    func takenBack() {
        var world = world()
        world.submit("a")
        world.end("a", .expired(.thermal, reported: nil), after: .seconds(5))
        #expect(world.launched == ["a"])
    }
}
