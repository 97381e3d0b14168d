// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BGRunPolicy

@Suite("Tasks with a calendar", .timeLimit(.minutes(5)))
struct CalendarTaskTests {
    /// Each full hour; `World` begins at 2023-11-14 22:13:20 UTC.
    private static let hourly = calendar("0 * * * *")

    private static func calendar(_ cron: String) -> Schedule {
        let seeds = CronSeeds(machine: "m", identifier: "i")
        guard let schedule = try? CronSchedule(cron, seeds: seeds) else { return .every(.zero) }
        return .calendar(
            CalendarSchedule([CalendarSchedule.Entry(.cron(schedule), in: .utc, text: cron)]))
    }

    private func task(
        _ schedule: Schedule = hourly, requires: Conditions = [], retry: RetryRule? = nil,
        catchUp: CatchUp = .one, jitter: Interval = .zero, startDeadline: Interval? = nil,
        triggers: TaskDeclaration.Triggers = []
    ) -> TaskDeclaration {
        .task(
            "a", requires: requires, schedule: schedule, submission: .launch, retry: retry,
            catchUp: catchUp, jitter: jitter, startDeadline: startDeadline, triggers: triggers)
    }

    private func started(_ task: TaskDeclaration, _ device: DeviceState = DeviceState()) -> World {
        var world = World([task], device: device)
        world.handle(.start)
        return world
    }

    /// A host that starts `after` the last event of another one, with its pending requests.
    private func restarted(
        _ world: World, _ task: TaskDeclaration, after: Interval, by start: Event = .start
    ) -> World {
        var next = World(
            [task],
            restoring: Engine.Restoration(
                requests: world.engine.pendingRequests, nextRequestID: 100))
        next.wall = world.wall.advanced(by: after)
        next.handle(start)
        return next
    }

    /// The UTC time of day of the date for which the request was submitted.
    private func occurrence(_ world: World) -> String? {
        world.engine.pendingRequest("a")?.occurrence.map {
            CivilTime(seconds: $0.milliseconds / 1_000).timeOfDay
        }
    }

    @Test("a start of the host launches nothing before the next date")
    func start() {
        var world = started(task())
        #expect(!world.isRunning("a"))
        #expect(occurrence(world) == "23:00")
        world.passUntilTimer()
        #expect(world.isRunning("a"))
        world.end("a", after: .minutes(5))
        #expect(occurrence(world) == "00:00")
    }

    @Test("a task launched by hand keeps its dates")
    func trigger() {
        var world = started(task())
        world.handle(.trigger(Submission(identifier: "a"), ticket: nil))
        #expect(world.isRunning("a"))
        world.end("a")
        #expect(occurrence(world) == "23:00")
    }

    @Test(
        "after dates without a host `one` runs once, `none` not at all, `all` for each date",
        arguments: [(CatchUp.one, 1), (.none, 0), (.all, 4)])
    func downtime(catchUp: CatchUp, launches: Int) {
        let declaration = task(catchUp: catchUp)
        // The host misses 23:00, 00:00, 01:00 and 02:00.
        var world = restarted(started(declaration), declaration, after: .hours(4))
        var runs = 0
        while world.isRunning("a"), runs < 20 {
            runs += 1
            world.end("a")
        }
        #expect(runs == launches)
        #expect(occurrence(world) == "03:00")
    }

    @Test("`all` makes up for the newest dates up to the limit")
    func limit() {
        let declaration = task(catchUp: .all)
        var policy = Policy.apple
        policy.catchUpLimit = 3
        var world = World([declaration], policy: policy)
        world.handle(.start)
        world.pass(.days(500))
        world.handle(.timer)
        var dates: [String?] = []
        while let attempt = world.engine.runningAttempt("a"), dates.count < 20 {
            let occurrence = attempt.request.occurrence
            dates.append(
                occurrence.map { CivilTime(seconds: $0.milliseconds / 1_000).timeOfDay })
            world.end("a")
        }
        #expect(dates == ["23:00", "20:00", "21:00", "22:00"])
    }

    @Test(
        "`all` omits only dates above the limit",
        arguments: [(2, "23:00"), (3, "23:00"), (4, "00:00"), (5, "01:00")])
    func overLimit(missed: Int64, first: String) throws {
        let declaration = task(catchUp: .all)
        guard case .calendar(let calendar)? = declaration.schedule else {
            Issue.record("it has no calendar")
            return
        }
        let start = World([declaration]).wall
        let date = try #require(
            declaration.nextOccurrence(
                of: calendar, after: start, now: start.advanced(by: .hours(missed)), limit: 3))
        #expect(CivilTime(seconds: date.milliseconds / 1_000).timeOfDay == first)
    }

    @Test(
        "with `none` a date that could not be launched is replaced by the next one",
        arguments: [Interval?.none, .hours(5)])
    func none(startDeadline: Interval?) {
        var world = started(
            task(requires: .externalPower, catchUp: .none, startDeadline: startDeadline),
            DeviceState(externalPower: .no))
        world.passUntilTimer()
        #expect(occurrence(world) == "23:00")
        while occurrence(world) == "23:00" { world.passUntilTimer() }
        #expect(occurrence(world) == "00:00")
        #expect(world.records.contains { if case .missed = $0 { true } else { false } })
    }

    @Test("with `none` a jitter longer than the interval loses no launch")
    func noneWithLongJitter() {
        var world = started(
            task(Self.calendar("* * * * *"), catchUp: .none, jitter: .hours(1)))
        world.passUntilTimer()
        #expect(world.isRunning("a"))
        #expect(!world.records.contains { if case .missed = $0 { true } else { false } })
    }

    @Test("with `none` a date that jitter has delayed survives a restart of the host")
    func noneWithJitterWhileDown() {
        let declaration = task(catchUp: .none, jitter: .hours(1))
        // A second after 23:00.
        let next = restarted(started(declaration), declaration, after: .seconds(46 * 60 + 41))
        #expect(!next.isRunning("a"))
        #expect(occurrence(next) == "23:00")
    }

    @Test("with `none` a host that starts exactly at the date launches it")
    func noneAtTheDate() {
        let declaration = task(catchUp: .none)
        // 23:00:00.
        let next = restarted(started(declaration), declaration, after: .seconds(46 * 60 + 40))
        #expect(next.isRunning("a"))
    }

    @Test("with `none` a date that passed between two runs of --once is launched by the later one")
    func noneOnce() {
        let declaration = task(catchUp: .none)
        let down = Interval.seconds(50 * 60)
        #expect(!restarted(started(declaration), declaration, after: down).isRunning("a"))
        let next = restarted(started(declaration), declaration, after: down, by: .startOnce)
        #expect(next.isRunning("a"))
    }

    @Test("a date that could not be launched within `start_deadline` is skipped and reported")
    func deadline() throws {
        var world = started(
            task(requires: .externalPower, startDeadline: .minutes(10)),
            DeviceState(externalPower: .no))
        world.passUntilTimer()
        let lines = try #require(world.engine.explain("a", at: world.wall)).lines
        #expect(lines.contains { $0.name == "deadline" && $0.current == "skipped in 10m" })
        world.passUntilTimer()
        #expect(occurrence(world) == "00:00")
        let request = world.records.compactMap { record -> TaskRequest? in
            if case .missed(let request, _) = record { request } else { nil }
        }.first
        #expect(request?.occurrence != nil)
        // Power returns within the deadline of the next date.
        world.passUntilTimer()
        world.handle(.deviceChanged(DeviceState(externalPower: .yes)), after: .minutes(9))
        #expect(world.isRunning("a"))
    }

    @Test("a deadline also counts while no host runs")
    func deadlineWhileDown() {
        let declaration = task(startDeadline: .minutes(10))
        let late = restarted(started(declaration), declaration, after: .hours(2))
        // The last date, 00:00, is 13 minutes ago.
        #expect(!late.isRunning("a"))
        #expect(occurrence(late) == "01:00")
        let inTime = restarted(started(declaration), declaration, after: .minutes(110))
        #expect(inTime.isRunning("a"))
    }

    @Test("a deadline longer than the interval repeats no date")
    func longDeadline() {
        var world = started(task(startDeadline: .hours(5)))
        world.passUntilTimer()
        world.end("a", after: .minutes(5))
        #expect(!world.isRunning("a") && occurrence(world) == "00:00")
    }

    @Test("jitter delays each date without moving the next one")
    func jitter() {
        var world = started(task(jitter: .minutes(10)))
        for hour in 0..<20 {
            let delay = world.delay(of: "a") ?? .zero
            world.passUntilTimer()
            #expect(world.isRunning("a"))
            let minute = world.wall.milliseconds / 1_000 % 3_600
            #expect(minute <= 600, "\(hour): \(delay)")
            world.end("a")
        }
    }

    @Test("a retry has no date to miss, and the next date stays")
    func retry() {
        let rule = RetryRule(backoff: .linear, from: .minutes(5), to: .minutes(5), attempts: 3)
        var world = started(task(retry: rule, startDeadline: .minutes(1)))
        world.passUntilTimer()
        world.end("a", .failed)
        world.passUntilTimer()
        #expect(world.isRunning("a"))
        world.end("a")
        #expect(occurrence(world) == "00:00")
    }

    @Test(
        "a clock set back by up to three hours repeats nothing; set back by more, dates follow it",
        arguments: [(Int64(2), "00:00"), (5, "19:00")])
    func clockSetBack(hours: Int64, expected: String) {
        var world = started(task())
        world.passUntilTimer()
        world.end("a")
        #expect(occurrence(world) == "00:00")
        world.setClock(by: .hours(-hours))
        world.handle(.timer)
        #expect(occurrence(world) == expected)
    }

    @Test("a clock that is set forward launches once for the dates it passed over")
    func clockSetForward() {
        var world = started(task())
        world.setClock(by: .days(30))
        world.handle(.timer)
        #expect(world.isRunning("a"))
        world.end("a")
        #expect(!world.isRunning("a"))
        #expect(occurrence(world) == "23:00")
    }

    @Test("a manifest with other dates moves the pending request, and launches nothing")
    func reload() {
        var world = started(task())
        world.reload([task(Self.calendar("30 6 * * *"))])
        world.handle(.manifestLoaded(added: []))
        #expect(!world.isRunning("a"))
        #expect(occurrence(world) == "06:30")
    }

    @Test("a deadline continues under another manifest")
    func deadlineAfterReload() {
        let declaration = task(requires: .externalPower, startDeadline: .minutes(10))
        var world = started(declaration, DeviceState(externalPower: .no))
        world.passUntilTimer()
        #expect(occurrence(world) == "23:00")
        world.handle(.manifestChanged(stopping: []), after: .minutes(1))
        world.reload([declaration])
        world.handle(.manifestLoaded(added: []))
        world.passUntilTimer()
        #expect(occurrence(world) == "00:00")
    }

    @Test("additional requirements of a request apply to its next date")
    func requirement() {
        var world = started(task(), DeviceState(externalPower: .yes))
        var submission = Submission(identifier: "a", delay: .zero)
        submission.requires = .externalPower
        world.handle(.submit(submission, ticket: nil))
        world.end("a")
        world.handle(.deviceChanged(DeviceState(externalPower: .no)))
        world.pass(.hours(1))
        world.handle(.timer)
        #expect(occurrence(world) == "23:00" && !world.isRunning("a"))
        #expect(world.reason("a") == .conditions(.externalPower))
    }

    @Test("with `flex` a period may be used early, and the next one begins at its end")
    func flex() {
        let declaration = TaskDeclaration.task(
            "a", schedule: .every(.hours(1), flex: .minutes(10)), submission: .launch)
        var world = started(declaration)
        #expect(world.isRunning("a"))
        world.end("a")
        #expect(world.delay(of: "a") == .minutes(50))
        world.passUntilTimer()
        #expect(world.isRunning("a"))
        world.end("a")
        #expect(world.delay(of: "a") == .minutes(60))
    }

    @Test("`on: launch` submits at each start, and the dates continue")
    func onLaunch() {
        var world = started(task(triggers: .launch))
        #expect(world.isRunning("a"))
        world.end("a")
        #expect(occurrence(world) == "23:00")
    }

    @Test("`on: resume` submits when the machine has slept")
    func onResume() {
        var world = World([.task("a", triggers: .resume)])
        world.handle(.start)
        #expect(!world.isPending("a"))
        world.handle(.suspending(within: nil))
        world.handle(.resumed, after: .hours(1))
        #expect(world.isRunning("a"))
    }

    @Test("`on: resume` submits when the machine has slept without notice")
    func onResumeUnannounced() {
        var world = World([.task("a", triggers: .resume)])
        world.handle(.start)
        world.handle(.slept, after: .hours(1))
        #expect(world.isRunning("a"))
    }

    @Test("no clock makes a task run twice for a date")
    func noBusyLoop() {
        var random = SplitMix(seed: 11)
        for catchUp in CatchUp.allCases {
            var world = started(task(Self.calendar("*/5 * * * *"), catchUp: catchUp))
            for _ in 0..<300 {
                let before = world.launchCount
                world.setClock(by: .seconds(Int64.random(in: -20_000...20_000, using: &random)))
                world.handle(.timer, after: .seconds(1))
                for _ in 0..<150 where world.isRunning("a") { world.end("a") }
                #expect(!world.isRunning("a"))
                // There are 67 dates in 20,000 seconds.
                #expect(world.launchCount - before <= (catchUp == .all ? 110 : 1))
            }
        }
    }
}
