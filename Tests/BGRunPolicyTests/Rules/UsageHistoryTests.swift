// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

/// Refreshes of an app on power whose tasks each request one every 15 minutes, by its uses.
@Suite("Refreshes for histories of use", .timeLimit(.minutes(5)))
struct UsageHistoryTests {
    private static let day = Interval.days(1).nanoseconds
    private static let hour = Interval.hours(1).nanoseconds

    /// The launches of refreshes of an app with these uses, both in nanoseconds since Monday 00:00.
    private static func launches(
        opened: [Int64], days: Int64, every: Interval = .minutes(15), catchUp: CatchUp = .one,
        tasks: [String] = ["a"], other: TaskDeclaration? = nil, policy: Policy = .apple,
        beforeEnd: (inout World, _ ending: String) -> Void = { _, _ in }
    ) -> [Int64] {
        var world = World(
            [other].compactMap { $0 }
                + tasks.map {
                    .task(
                        $0, kind: .appRefresh, every: every, submission: .launch, catchUp: catchUp)
                },
            policy: policy, device: DeviceState(externalPower: .yes))
        world.wall = WallTime(milliseconds: 1_699_833_600_000)
        let start = world.elapsed
        var openings = opened.sorted()[...]
        var launches: [Int64] = []
        if openings.first == 0 {
            openings.removeFirst()
            world.handle(.appOpened(ticket: nil))
        }
        world.handle(.start)
        while true {
            while let task = tasks.first(where: { world.isRunning($0) }) {
                launches.append(world.elapsed - start)
                beforeEnd(&world, task)
                world.end(task)
            }
            if let other, world.isRunning(other.identifier) {
                world.end(other.identifier, other.retry == nil ? .completed : .failed)
                continue
            }
            let opening = openings.first.map { start + $0 } ?? .max
            let next = min(opening, world.wake ?? .max)
            guard next < start + days * day else { return launches }
            world.pass(Interval(nanoseconds: max(0, next - world.elapsed)))
            if next == opening {
                openings.removeFirst()
                world.handle(.appOpened(ticket: nil))
            } else {
                world.handle(.timer)
            }
        }
    }

    private static func perDay(_ launches: [Int64], days: Int64) -> [Int] {
        (0..<days).map { day in launches.count { $0 / Self.day == day } }
    }

    @Test("an app that was opened once is refreshed once a day, for two weeks")
    func once() {
        let launches = Self.launches(opened: [0], days: 30)
        #expect(Self.perDay(launches, days: 15) == [Int](repeating: 1, count: 15))
        #expect(launches.count == 15)
    }

    private static let three = ["a", "b", "c"]

    private static var several: Policy {
        var policy = Policy.apple
        policy.pendingLimits.appRefresh = 10
        return policy
    }

    @Test("an app that was opened once is refreshed once a day, even if several of its tasks wait")
    func tasksThatWait() {
        var launched: [String: Int] = [:]
        let launches = Self.launches(
            opened: [0], days: 10, tasks: Self.three, policy: Self.several
        ) { launched[$1, default: 0] += 1 }
        #expect(Self.perDay(launches, days: 10) == [Int](repeating: 1, count: 10))
        #expect(launched.values.sorted() == [3, 3, 4])
    }

    @Test("an app that was opened once is refreshed once a day by tasks that submit each other")
    func chain() {
        let launches = Self.launches(opened: [0], days: 10, tasks: Self.three) { world, ending in
            let next = Self.three[(Self.three.firstIndex(of: ending)! + 1) % 3]
            world.submit(next, delay: .zero, isFromApp: true)
        }
        #expect(Self.perDay(launches, days: 10) == [Int](repeating: 1, count: 10))
    }

    @Test(
        "dates of a calendar and retries do not delay the refreshes of other tasks",
        arguments: [true, false])
    func others(isCalendar: Bool) throws {
        let cron = try CronSchedule("0 * * * *", seeds: CronSeeds(machine: "m", identifier: "i"))
        let hourly = Schedule.calendar(
            CalendarSchedule([CalendarSchedule.Entry(.cron(cron), in: .utc, text: "0 * * * *")]))
        let other = TaskDeclaration.task(
            "other", kind: .appRefresh, schedule: isCalendar ? hourly : nil, submission: .launch,
            retry: isCalendar ? nil : RetryRule(from: .minutes(20), to: .minutes(20)))
        let launches = Self.launches(
            opened: [0], days: 10, other: other, policy: Self.several)
        #expect(Self.perDay(launches, days: 10).dropFirst() == [1, 1, 1, 1, 1, 1, 1, 1, 1])
    }

    @Test(
        "a refresh that the system revoked does not delay refreshes of other tasks",
        arguments: [Interval.zero, .minutes(15)], [true, false])
    func takenBack(spacing: Interval, restarts: Bool) {
        var policy = Self.several
        policy.appRefreshSpacing = spacing
        let tasks = [
            TaskDeclaration.task("a", kind: .appRefresh, requires: [.externalPower]),
            .task("b", kind: .appRefresh),
        ]
        var world = World(tasks, policy: policy, device: DeviceState(externalPower: .yes))
        world.handle(.appOpened(ticket: nil))
        let first = world.wall
        world.submit("a")
        #expect(world.isRunning("a"))
        world.handle(.deviceChanged(.battery))
        world.end("a", .expired(.powerLost, reported: nil))
        #expect(world.isPending("a"))
        if restarts {
            let facts = AppFacts(entries: world.remembered.map { Fact($0.key, $0.value) })
            world = World(
                tasks, policy: policy, device: .battery,
                restoring: Engine.Restoration(lastLaunches: ["a": first], facts: facts))
            world.handle(.start)
        }
        world.submit("b")
        #expect(world.isRunning("b"))
    }

    @Test("after the system revoked a refresh, the one before it counts as the app's last")
    func takenBackToTheOneBefore() {
        var world = World(
            [.task("a", kind: .appRefresh, requires: [.externalPower])],
            device: DeviceState(externalPower: .yes))
        world.handle(.appOpened(ticket: nil))
        let first = world.wall
        world.submit("a")
        world.end("a")
        world.submit("a", after: .days(1))
        #expect(world.isRunning("a") && world.remembered["last-refresh"] != first.milliseconds)
        world.handle(.deviceChanged(.battery))
        world.end("a", .expired(.powerLost, reported: nil))
        #expect(world.remembered["last-refresh"] == first.milliseconds)
    }

    @Test("the app's last refresh is known after its task was removed")
    func removed() {
        var world = World(
            [.task("a", kind: .appRefresh)], device: DeviceState(externalPower: .yes))
        world.handle(.appOpened(ticket: nil))
        world.submit("a")
        world.end("a")
        let due = world.wall.advanced(by: .days(1))
        let isReloaded = world.reload([.task("b", kind: .appRefresh)])
        #expect(isReloaded)
        world.submit("b")
        #expect(world.reason("b") == .factor(.appUsage, until: due))
    }

    @Test("an app that was never opened is refreshed as often as it requests, until it is opened")
    func never() {
        let launches = Self.launches(opened: [], days: 20)
        #expect(Self.perDay(launches, days: 20) == [Int](repeating: 96, count: 20))
        let opened = Self.launches(opened: [10 * Self.day], days: 20)
        #expect(
            Self.perDay(opened, days: 20)
                == [Int](repeating: 96, count: 10) + [Int](repeating: 1, count: 10))
    }

    @Test("an app that is opened weekly is refreshed once a day")
    func weekly() {
        let opened = (0..<8).map { Int64($0) * 7 * Self.day }
        let launches = Self.launches(opened: opened, days: 56)
        #expect(Self.perDay(launches, days: 56) == [Int](repeating: 1, count: 56))
    }

    @Test(
        "an app that is opened every morning is refreshed before that, a few times a day",
        arguments: [CatchUp.one, .all, .none])
    func daily(catchUp: CatchUp) {
        let opened = [0] + (0..<28).map { $0 * Self.day + 7 * Self.hour }
        let launches = Self.launches(opened: opened, days: 28, catchUp: catchUp)
        for day: Int64 in 15..<28 {
            let today = launches.filter { $0 / Self.day == day }.map { $0 - day * Self.day }
            #expect(today.first == 6 * Self.hour + Self.hour / 2, "day \(day)")
            #expect((1...6).contains(today.count), "day \(day): \(today.count)")
        }
    }

    @Test("an app that is opened all day long is refreshed all day long")
    func always() {
        let opened = (0..<(24 * 21)).map { $0 * Self.hour }
        let launches = Self.launches(opened: opened, days: 21)
        #expect(Self.perDay(launches, days: 21).suffix(7).allSatisfy { $0 >= 90 })
    }

    @Test("an abandoned app is not refreshed after two weeks")
    func abandoned() {
        let opened = [0] + (0..<10).map { $0 * Self.day + 7 * Self.hour }
        let launches = Self.launches(opened: opened, days: 60)
        let end = 9 * Self.day + 7 * Self.hour + 14 * Self.day
        #expect(launches.allSatisfy { $0 <= end })
        #expect(launches.contains { $0 > end - 2 * Self.day })
    }

    @Test("a shorter period brings no more refreshes to an app that is seldom opened")
    func period() {
        for minutes: Int64 in [15, 60, 360] {
            let launches = Self.launches(opened: [0], days: 10, every: .minutes(minutes))
            #expect(launches.count == 10, "every \(minutes) minutes")
        }
    }

    /// Compares each history with one that has more uses: up to the end of each day, more uses must
    /// bring at least as many refreshes, without tolerance. The empty history, in which the use is
    /// unknown, brings at least as many as any other.
    ///
    /// The last batches continue after the end of the eligibility.
    @Test("a thousand histories have no fewer refreshes after uses are added", arguments: 0..<24)
    func monotonic(batch: Int) {
        var random = SplitMix(seed: UInt64(batch) + 1)
        func draw(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }
        let days: Int64 = batch < 20 ? 10 : 40
        let used: Int64 = batch < 20 ? 10 : 25
        let unknown = Self.perDay(Self.launches(opened: [], days: days), days: days)
        for history in 0..<(batch < 20 ? 50 : 10) {
            func moment() -> Int64 { Int64(draw(Int(used) * 24 * 60)) * 60_000_000_000 }
            // Uses are rare, random, or at habitual hours.
            let habits = (0..<draw(4)).map { _ in Int64(draw(24)) * Self.hour }
            var less: [Int64] = [0] + (0..<draw(12)).map { _ in moment() }
            for habit in habits {
                less += (0..<used).filter { _ in draw(4) > 0 }.map { $0 * Self.day + habit }
            }
            let more = less + (0...draw(5)).map { _ in moment() }
            let few = Self.perDay(Self.launches(opened: less, days: days), days: days)
            let many = Self.perDay(Self.launches(opened: more, days: days), days: days)
            for day in few.indices {
                #expect(
                    many[...day].reduce(0, +) >= few[...day].reduce(0, +),
                    "batch \(batch), history \(history), day \(day): \(few) and \(many)")
                #expect(unknown[day] >= many[day], "batch \(batch), history \(history)")
            }
        }
    }
}
