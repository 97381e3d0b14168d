// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

extension FuzzTarget {
    /// The input as an expression of cron and of systemd.
    static let calendar = FuzzTarget("calendar", longest: 128) { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        do {
            let seeds = CronSeeds(machine: "fuzz", identifier: "com.example.task")
            try check(.cron(try CronSchedule(text, seeds: seeds)), text)
        } catch let problem as ScheduleProblem {
            try check(problem, text)
        }
        do {
            let expression = try SystemdCalendar.Expression(text)
            if let place = expression.zonePlace { try check(place, text) }
            try check(.systemd(expression.calendar), text)
        } catch let problem as ScheduleProblem {
            try check(problem, text)
        }
    }

    private static func check(_ rule: CalendarSchedule.Rule, _ text: String) throws {
        let schedule = CalendarSchedule([CalendarSchedule.Entry(rule, in: .utc, text: text)])
        for milliseconds in [.min, 0, 1_770_000_000_000, .max] as [Int64] {
            var date = WallTime(milliseconds: milliseconds)
            for _ in 0..<3 {
                guard let next = schedule.next(after: date) else { break }
                try hold(next > date, "\(next) is not after \(date)")
                try hold(schedule.contains(next), "\(next) is not a date of the schedule")
                date = next
            }
        }
    }

    private static func check(_ problem: ScheduleProblem, _ text: String) throws {
        try hold(!problem.message.isEmpty && !problem.help.isEmpty, "a problem without a message")
        try check(problem.place, text)
    }

    private static func check(_ place: Range<Int>, _ text: String) throws {
        try hold(0 <= place.lowerBound && place.upperBound <= text.count, "place \(place)")
    }
}
