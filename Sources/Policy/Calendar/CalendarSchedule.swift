// SPDX-License-Identifier: Apache-2.0

/// When a task is launched by the calendar: whenever one of its expressions says so.
package struct CalendarSchedule: Hashable, Sendable {
    package let entries: [Entry]

    /// One expression and the zone whose clocks it goes by.
    package struct Entry: Hashable, Sendable {
        package var rule: Rule
        package var zone: ZoneRules
        /// As it was written, for people.
        package var text: String

        package init(_ rule: Rule, in zone: ZoneRules, text: String) {
            self.rule = rule
            self.zone = zone
            self.text = text
        }
    }

    package enum Rule: Hashable, Sendable {
        case cron(CronSchedule)
        case systemd(SystemdCalendar)
    }

    /// One date of a schedule.
    package struct Occurrence: Hashable, Sendable {
        package var date: WallTime
        /// The number of the entry it comes from.
        package var entry: Int
        /// The time of day of the expression, when clocks are set forward over it and the occurrence comes after.
        package var skipped: CivilTime?
    }

    package init(_ entries: [Entry]) { self.entries = entries }

    /// The expressions, with commas between.
    package var text: String { entries.map(\.text).joined(separator: ", ") }

    /// The first occurrence after `date`, found in a time that depends on the expression only; nil: none comes.
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

    /// From 1970 to 2200: before and after, no clock is believed.
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
