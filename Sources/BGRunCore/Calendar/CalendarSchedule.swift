// SPDX-License-Identifier: Apache-2.0

/// When a task is launched by the calendar: whenever one of its expressions says so.
public struct CalendarSchedule: Hashable, Sendable {
    public let entries: [Entry]

    /// One expression and the zone whose clocks it goes by.
    public struct Entry: Hashable, Sendable {
        public var rule: Rule
        public var zone: ZoneRules
        /// As it was written, for people.
        public var text: String

        public init(_ rule: Rule, in zone: ZoneRules, text: String) {
            self.rule = rule
            self.zone = zone
            self.text = text
        }
    }

    public enum Rule: Hashable, Sendable {
        case cron(CronSchedule)
        case systemd(SystemdCalendar)
    }

    /// One date of a schedule.
    public struct Occurrence: Hashable, Sendable {
        public var date: WallTime
        /// The number of the entry it comes from.
        public var entry: Int
        /// The time of day the expression names, when clocks are set forward over it and the
        /// occurrence comes right after.
        public var skipped: CivilTime?
    }

    public init(_ entries: [Entry]) {
        self.entries = entries
    }

    /// The expressions, with commas between.
    public var text: String { entries.map(\.text).joined(separator: ", ") }

    /// The first occurrence after `date`; nil when none comes any more.
    ///
    /// Always later than `date`, and found in a time that depends on the expression only.
    public func occurrence(after date: WallTime) -> Occurrence? {
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

    public func next(after date: WallTime) -> WallTime? { occurrence(after: date)?.date }

    /// Whether `date` is an occurrence.
    public func contains(_ date: WallTime) -> Bool {
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
                    entry: index,
                    skipped: isMoved ? found.asked : nil)
            }
        case .systemd(let calendar):
            return calendar.occurrence(from: milliseconds, in: zone).map {
                CalendarSchedule.Occurrence(
                    date: WallTime(milliseconds: $0), entry: index, skipped: nil)
            }
        }
    }
}
