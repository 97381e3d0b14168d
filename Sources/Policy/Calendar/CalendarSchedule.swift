// SPDX-License-Identifier: Apache-2.0

/// When the calendar launches a task: at each match of any of its expressions.
package struct CalendarSchedule: Equatable, Sendable {
    package let entries: [Entry]

    /// One expression and its time zone.
    package struct Entry: Equatable, Sendable {
        package var rule: Rule
        package var zone: ZoneRules
        /// The text as written, for people.
        package var text: String

        package init(_ rule: Rule, in zone: ZoneRules, text: String) {
            self.rule = rule
            self.zone = zone
            self.text = text
        }
    }

    package enum Rule: Equatable, Sendable {
        case cron(CronSchedule)
        case systemd(SystemdCalendar)
    }

    /// One date of a schedule.
    package struct Occurrence: Equatable, Sendable {
        package var date: WallTime
        /// The index of the entry it comes from.
        package var entry: Int
        /// The time of day in the expression, if clocks were set forward over it and the occurrence comes after the
        /// gap.
        package var skipped: CivilTime?
    }

    package init(_ entries: [Entry]) { self.entries = entries }

    /// The expressions, with commas between.
    package var text: String { entries.map(\.text).joined(separator: ", ") }

    /// The first occurrence after `date`; nil after the last one. The search time depends only on the expression.
    package func occurrence(after date: WallTime) -> Occurrence? {
        guard Self.dates.contains(date.milliseconds) else {
            return date.milliseconds < Self.dates.lowerBound
                ? occurrence(after: WallTime(milliseconds: Self.dates.lowerBound)) : nil
        }
        var first: Occurrence?
        for (index, entry) in entries.enumerated() {
            guard let next = entry.occurrence(from: date.milliseconds.saturatingAdding(1), index),
                next.date < first?.date ?? WallTime(milliseconds: .max)
            else { continue }
            first = next
        }
        return first
    }

    package func next(after date: WallTime) -> WallTime? { occurrence(after: date)?.date }

    package func contains(_ date: WallTime) -> Bool {
        next(after: WallTime(milliseconds: date.milliseconds.saturatingSubtracting(1))) == date
    }

    /// From 1970 to 2200: a date outside this range indicates a wrong clock.
    private static let dates: ClosedRange<Int64> = 0...7_258_118_400_000
}

extension CalendarSchedule.Entry {
    fileprivate func occurrence(
        from milliseconds: Int64, _ index: Int
    ) -> CalendarSchedule.Occurrence? {
        switch rule {
        case .cron(let cron):
            let second = CivilTime.floorDivide(milliseconds + 999, 1_000)
            return cron.occurrence(from: second, in: zone).map { found in
                let isMoved = zone.civil(at: found.second) != found.asked
                return CalendarSchedule.Occurrence(
                    date: WallTime(milliseconds: found.second.saturatingMultiplied(by: 1_000)),
                    entry: index, skipped: isMoved ? found.asked : nil)
            }
        case .systemd(let calendar):
            return calendar.occurrence(from: milliseconds, in: zone).map {
                CalendarSchedule.Occurrence(
                    date: WallTime(milliseconds: $0), entry: index, skipped: nil)
            }
        }
    }
}

/// When a task is launched repeatedly.
package enum Schedule: Equatable, Sendable {
    /// At this interval between launches. With `flex`, periods follow each other regardless of when the task ran in
    /// them; a launch may come up to `flex` before the end of its period (Android: flex).
    case every(Interval, flex: Interval = .zero)
    case calendar(CalendarSchedule)

    /// The length of a period; nil for a calendar.
    package var period: Interval? {
        if case .every(let period, _) = self { period } else { nil }
    }

    package var calendar: CalendarSchedule? {
        if case .calendar(let calendar) = self { calendar } else { nil }
    }
}
