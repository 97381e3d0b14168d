// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy
import Testing

@Suite("The dates of cron and calendar expressions", .timeLimit(.minutes(10)))
struct CalendarTests {
    /// The next dates after `from`, in local time, with `Z` for standard and `S` for daylight saving time.
    private func dates(
        _ schedule: CalendarSchedule, after from: String, count: Int
    ) throws -> [String] {
        let zone = try #require(schedule.entries.first).zone
        var date = WallTime(milliseconds: try instant(from, zone) * 1_000)
        return try (0..<count).map { _ in
            let next = try #require(schedule.next(after: date))
            #expect(next > date)
            date = next
            let second = next.milliseconds / 1_000
            let winter = zone.offset(at: 1_768_000_000)
            return zone.civil(at: second).text + (zone.offset(at: second) == winter ? "Z" : "S")
        }
    }

    /// `2026-03-29 02:30` in local time.
    private func instant(_ text: String, _ zone: ZoneRules) throws -> Int64 {
        let parts = text.split { "- :".contains($0) }.compactMap { Int64($0) }
        try #require(parts.count == 5)
        return zone.instant(
            of: CivilTime(
                year: parts[0], month: parts[1], day: parts[2], hour: parts[3], minute: parts[4]))
    }

    private func cron(_ text: String, _ zone: String = "Europe/Berlin") throws -> CalendarSchedule {
        let seeds = CronSeeds(machine: "m", identifier: "i")
        return CalendarSchedule([
            CalendarSchedule.Entry(
                .cron(try CronSchedule(text, seeds: seeds)), in: try ZoneRules.named(zone),
                text: text)
        ])
    }

    private func systemd(
        _ text: String, _ zone: String = "Europe/Berlin"
    ) throws -> CalendarSchedule {
        let expression = try SystemdCalendar.Expression(text)
        return CalendarSchedule([
            CalendarSchedule.Entry(
                .systemd(expression.calendar), in: try ZoneRules.named(expression.zone ?? zone),
                text: text)
        ])
    }

    @Test(
        "cron expressions have the dates of cron",
        arguments: [
            ("30 2 * * mon-fri", "2026-06-05 12:00", ["2026-06-08 02:30S", "2026-06-09 02:30S"]),
            ("0 0 13 * fri", "2026-02-01 00:00", ["2026-02-06 00:00Z", "2026-02-13 00:00Z"]),
            ("0 0 1-7 * *", "2026-01-07 00:00", ["2026-02-01 00:00Z", "2026-02-02 00:00Z"]),
            // A star with a step counts as a star: both fields must match.
            ("0 0 */10 * mon", "2026-05-01 00:00", ["2026-05-11 00:00S", "2026-06-01 00:00S"]),
            ("0 0 29 2 *", "2026-01-01 00:00", ["2028-02-29 00:00Z", "2032-02-29 00:00Z"]),
            ("0 0 29 2 */6", "2026-01-01 00:00", ["2032-02-29 00:00Z", "2048-02-29 00:00Z"]),
            ("15,45 */6 * * *", "2026-01-01 00:20", ["2026-01-01 00:45Z", "2026-01-01 06:15Z"]),
            ("0 12 * * 7", "2026-01-01 00:00", ["2026-01-04 12:00Z", "2026-01-11 12:00Z"]),
            ("0 12 * * sat-sun", "2026-01-01 00:00", ["2026-01-03 12:00Z", "2026-01-04 12:00Z"]),
            (
                "*/20 0 0 * * *", "2026-01-01 00:00",
                ["2026-01-01 00:00:20Z", "2026-01-01 00:00:40Z"]
            ),
            ("@weekly", "2026-01-01 00:00", ["2026-01-04 00:00Z", "2026-01-11 00:00Z"]),
            ("@yearly", "2026-01-01 00:00", ["2027-01-01 00:00Z", "2028-01-01 00:00Z"]),
        ])
    func cronDates(text: String, from: String, expected: [String]) throws {
        #expect(try dates(try cron(text), after: from, count: expected.count) == expected)
    }

    @Test(
        "fixed times of cron come after a gap and once in a repeated hour; stars follow the clock",
        arguments: [
            // Europe/Berlin has no 2026-03-29 02:00 to 03:00, and 2026-10-25 02:00 to 03:00 twice.
            ("30 2 * * *", "2026-03-29 01:00", ["2026-03-29 03:00S", "2026-03-30 02:30S"]),
            ("0,30 2 * * *", "2026-03-29 01:00", ["2026-03-29 03:00S", "2026-03-30 02:00S"]),
            (
                "30 1-3 * * *", "2026-03-29 01:00",
                [
                    "2026-03-29 01:30Z", "2026-03-29 03:00S", "2026-03-29 03:30S",
                ]
            ),
            ("0 3 * * *", "2026-03-29 01:00", ["2026-03-29 03:00S", "2026-03-30 03:00S"]),
            ("*/30 2 * * *", "2026-03-29 01:00", ["2026-03-30 02:00S"]),
            ("30 * * * *", "2026-03-29 01:00", ["2026-03-29 01:30Z", "2026-03-29 03:30S"]),
            ("30 2 * * *", "2026-10-24 12:00", ["2026-10-25 02:30S", "2026-10-26 02:30Z"]),
            (
                "30 * * * *", "2026-10-25 01:45",
                [
                    "2026-10-25 02:30S", "2026-10-25 02:30Z", "2026-10-25 03:30Z",
                ]
            ),
            (
                "0,30 2,3 * * *", "2026-10-25 01:45",
                [
                    "2026-10-25 02:00S", "2026-10-25 02:30S", "2026-10-25 03:00Z",
                    "2026-10-25 03:30Z",
                ]
            ),
        ])
    func cronSaving(text: String, from: String, expected: [String]) throws {
        #expect(try dates(try cron(text), after: from, count: expected.count) == expected)
    }

    @Test(
        "fixed times of cron repeat only if clocks are set back by more than three hours",
        arguments: [3, 4] as [Int64])
    func setBack(hours: Int64) throws {
        // At 06:00 the clocks are set back to UTC.
        let midnight = CivilTime(year: 2026, month: 6, day: 1).seconds
        let ahead = hours * 3_600
        let zone = ZoneRules(
            name: "Test", transitions: [midnight + 6 * 3_600 - ahead], offsets: [ahead, 0],
            rule: nil)
        let seeds = CronSeeds(machine: "m", identifier: "i")
        let schedule = CalendarSchedule([
            CalendarSchedule.Entry(
                .cron(try CronSchedule("30 5 * * *", seeds: seeds)), in: zone, text: "")
        ])
        let halfPastFive = midnight + 5 * 3_600 + 1_800
        let first = WallTime(milliseconds: (halfPastFive - ahead) * 1_000)
        #expect(schedule.next(after: WallTime(milliseconds: (midnight - ahead) * 1_000)) == first)
        let next = hours > 3 ? halfPastFive : halfPastFive + 86_400
        #expect(schedule.next(after: first) == WallTime(milliseconds: next * 1_000))
    }

    @Test("a moved occurrence has the time that the clocks do not show")
    func moved() throws {
        let schedule = try cron("30 2 * * *")
        let zone = try ZoneRules.named("Europe/Berlin")
        let start = WallTime(milliseconds: try instant("2026-03-28 12:00", zone) * 1_000)
        let next = try #require(schedule.occurrence(after: start))
        #expect(next.skipped?.text == "2026-03-29 02:30")
        #expect(schedule.occurrence(after: next.date)?.skipped == nil)
    }

    @Test(
        "calendar expressions have the dates of systemd",
        arguments: [
            ("Mon..Fri 09:00", "2026-06-05 12:00", ["2026-06-08 09:00S", "2026-06-09 09:00S"]),
            ("*-*~1 12:00", "2026-01-15 00:00", ["2026-01-31 12:00Z", "2026-02-28 12:00Z"]),
            ("Mon *-05~07/1", "2026-01-01 00:00", ["2026-05-25 00:00S", "2027-05-31 00:00S"]),
            ("quarterly", "2026-02-01 00:00", ["2026-04-01 00:00S", "2026-07-01 00:00S"]),
            ("semiannually", "2026-02-01 00:00", ["2026-07-01 00:00S", "2027-01-01 00:00Z"]),
            ("weekly", "2026-01-01 00:00", ["2026-01-05 00:00Z", "2026-01-12 00:00Z"]),
            ("*:0/15", "2026-01-01 00:50", ["2026-01-01 01:00Z", "2026-01-01 01:15Z"]),
            ("12-24,31 18:00", "2026-01-01 00:00", ["2026-12-24 18:00Z", "2026-12-31 18:00Z"]),
            ("2028..2030/2-1-1", "2026-01-01 00:00", ["2028-01-01 00:00Z", "2030-01-01 00:00Z"]),
            (
                "Sun,Tue..Thu 10:30:15", "2026-01-01 00:00",
                [
                    "2026-01-01 10:30:15Z", "2026-01-04 10:30:15Z",
                ]
            ),
            ("12:00 UTC", "2026-06-01 00:00", ["2026-06-01 12:00Z"]),
        ])
    func calendarDates(text: String, from: String, expected: [String]) throws {
        #expect(try dates(try systemd(text), after: from, count: expected.count) == expected)
    }

    @Test(
        "years of two digits are those from 1970 to 2069, as in systemd",
        arguments: [
            ("70-02-01", "1970-01-01 00:00", ["1970-02-01 00:00Z"]),
            ("69-02-01", "2026-01-01 00:00", ["2069-02-01 00:00Z"]),
            ("68..69-02-01", "2026-01-01 00:00", ["2068-02-01 00:00Z", "2069-02-01 00:00Z"]),
        ])
    func calendarCenturies(text: String, from: String, expected: [String]) throws {
        #expect(try dates(try systemd(text), after: from, count: expected.count) == expected)
    }

    @Test(
        "times in a gap are left out as in systemd, and a repeated hour counts once",
        arguments: [
            ("02:30", "2026-03-29 01:00", ["2026-03-30 02:30S"]),
            ("*:0/30", "2026-03-29 01:15", ["2026-03-29 01:30Z", "2026-03-29 03:00S"]),
            ("02:30", "2026-10-24 12:00", ["2026-10-25 02:30S", "2026-10-26 02:30Z"]),
            (
                "*:0/30", "2026-10-25 01:45",
                [
                    "2026-10-25 02:00S", "2026-10-25 02:30S", "2026-10-25 03:00Z",
                ]
            ),
        ])
    func calendarSaving(text: String, from: String, expected: [String]) throws {
        #expect(try dates(try systemd(text), after: from, count: expected.count) == expected)
    }

    @Test("fractions of a second have milliseconds, and each date is later than the last")
    func fractions() throws {
        let schedule = try systemd("*:*:0/0.0001")
        var date = WallTime(milliseconds: 1_000)
        for _ in 0..<100 {
            let next = try #require(schedule.next(after: date))
            #expect(next.milliseconds == date.milliseconds + 1)
            date = next
        }
        let quarter = try systemd("*:*:7.25")
        #expect(quarter.next(after: WallTime(milliseconds: 0)) == WallTime(milliseconds: 7_250))
    }

    @Test("`H` depends on the task, `~` also on the machine; both are constant and in range")
    func spreading() throws {
        func text(_ expression: String, _ machine: String, _ identifier: String) throws
            -> CronSchedule
        {
            try CronSchedule(
                expression, seeds: CronSeeds(machine: machine, identifier: identifier))
        }
        var hashed: Set<CronSchedule> = []
        var random: Set<CronSchedule> = []
        for number in 0..<50 {
            let one = try text("H H(0-7) * * *", "a", "task\(number)")
            #expect(one == (try text("H H(0-7) * * *", "b", "task\(number)")))
            #expect(one.hours < 1 << 8)
            #expect(one.minutes.nonzeroBitCount == 1 && one.hours.nonzeroBitCount == 1)
            hashed.insert(one)
            let two = try text("10~20 * * * *", "machine\(number)", "task")
            #expect(two == (try text("10~20 * * * *", "machine\(number)", "task")))
            #expect(two.minutes & ~(0x7FF << 10) == 0)
            random.insert(two)
        }
        #expect(hashed.count > 25)
        #expect(random.count > 7)
        #expect(try text("H/15 * * * *", "a", "b").minutes.nonzeroBitCount == 4)
        #expect(try text("0 0 H * *", "a", "b").days < 1 << 29)
    }

    @Test(
        "each date is later than the one before, in every zone and around every change",
        arguments: ZoneRulesTests.names)
    func advances(_ name: String) throws {
        let zone = try ZoneRules.named(name)
        let schedules = try [
            cron("*/20 * * * *", name), cron("30 0,2 * * *", name),
            cron("0,59 23 * * *", name), systemd("*:0/20", name), systemd("00,02:30", name),
            systemd("Sat,Sun *-*~1..9 0/3:00", name),
        ]
        let changes = zone.transitions.filter { (86_400...2_145_916_800).contains($0) }
        let late = stride(from: Int64(2_100_000_000), to: 2_140_000_000, by: 7_000_000)
        for schedule in schedules {
            for change in changes + late {
                for start: Int64 in [-3_600, -1, 0, 3_599] {
                    let from = WallTime(milliseconds: (change + start) * 1_000)
                    let first = try #require(schedule.next(after: from))
                    let second = try #require(schedule.next(after: first))
                    guard first > from, second > first else {
                        Issue.record("\(schedule.text) in \(name) stands still at \(change)")
                        return
                    }
                    // Nothing lies between a date and the next one.
                    let between = WallTime(
                        milliseconds: (from.milliseconds + first.milliseconds) / 2)
                    guard schedule.next(after: between) == first else {
                        Issue.record("\(schedule.text) in \(name) has two minds at \(change)")
                        return
                    }
                }
            }
        }
    }
}
