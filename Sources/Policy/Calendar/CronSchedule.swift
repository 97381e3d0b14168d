// SPDX-License-Identifier: Apache-2.0

/// A cron expression: the seconds, minutes, hours, days and months of its occurrences, as bits.
package struct CronSchedule: Hashable, Sendable {
    /// Bit 0 is second 0.
    package var seconds: UInt64
    package var minutes: UInt64
    package var hours: UInt32
    /// Bit 1 is the first day of a month.
    package var days: UInt32
    /// Bit 1 is January.
    package var months: UInt16
    /// Bit 0 is Sunday.
    package var weekdays: UInt8
    package var stars: Stars

    /// The fields that begin with `*`, `*/2` among them.
    package struct Stars: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        static let minute = Stars(rawValue: 1)
        package static let hour = Stars(rawValue: 2)
        package static let day = Stars(rawValue: 4)
        static let weekday = Stars(rawValue: 8)
    }

    package init(
        seconds: UInt64 = 1, minutes: UInt64, hours: UInt32, days: UInt32, months: UInt16,
        weekdays: UInt8, stars: Stars
    ) {
        self.seconds = seconds
        self.minutes = minutes
        self.hours = hours
        self.days = days
        self.months = months
        self.weekdays = weekdays
        self.stars = stars
    }

    /// cron: with a star for minute or hour a job follows the clock; other times of day count once a day each.
    var followsClock: Bool { !stars.isDisjoint(with: [.minute, .hour]) }

    /// 29 February falls on the same weekday again after 40 years at most.
    private static let longestWait: Int64 = 41

    /// The first match at or after `from`; nil if nothing matches.
    func match(from: CivilTime) -> CivilTime? {
        let start = from.date
        let time = firstTime(from: from.secondOfDay)
        var (year, month) = (start.year, start.month)
        var firstDay = time == nil ? start.day + 1 : start.day
        while year <= start.year + Self.longestWait {
            if months & 1 << UInt16(month) != 0 {
                let left = firstDay > 31 ? 0 : dayMask(year, month) & (~0 << UInt32(firstDay))
                if left != 0 {
                    let day = Int64(left.trailingZeroBitCount)
                    let isFirst = (year, month, day) == (start.year, start.month, start.day)
                    guard let time = isFirst ? time : firstTime(from: 0) else { return nil }
                    var civil = CivilTime(year: year, month: month, day: day)
                    civil.seconds += time
                    return civil
                }
            }
            firstDay = 1
            (year, month) = month == 12 ? (year + 1, 1) : (year, month + 1)
        }
        return nil
    }

    /// The days of a month that match. vixie: with a star for the day or the weekday both must match, else one of them.
    private func dayMask(_ year: Int64, _ month: Int64) -> UInt32 {
        let first = CivilTime.days(year: year, month: month, day: 1)
        // 1970-01-01 was a Thursday.
        let weekday = UInt64(CivilTime.modulo(first + 4, 7))
        let week = UInt64(weekdays & 0x7F)
        let turned = (week >> weekday | week << (7 - weekday)) & 0x7F
        let repeated = turned | turned << 7 | turned << 14 | turned << 21 | turned << 28
        let ofWeekday = UInt32(truncatingIfNeeded: repeated << 1)
        let isAnd = !stars.isDisjoint(with: [.day, .weekday])
        let length = UInt32(CivilTime.daysIn(month: month, of: year))
        // fits: a month has at most 31 days
        let ofMonth = UInt32(truncatingIfNeeded: (UInt64(2) << UInt64(length)) - 2)
        return (isAnd ? days & ofWeekday : days | ofWeekday) & ofMonth
    }

    /// The first time of day at or after `from`, in seconds; nil if none remains.
    private func firstTime(from: Int64) -> Int64? {
        let (hour, minute, second) = (from / 3_600, from / 60 % 60, from % 60)
        guard let firstMinute = minutes.firstBit(from: 0),
            let firstSecond = seconds.firstBit(from: 0)
        else { return nil }
        if UInt64(hours).firstBit(from: hour) == hour {
            if minutes.firstBit(from: minute) == minute,
                let second = seconds.firstBit(from: second)
            {
                return hour * 3_600 + minute * 60 + second
            }
            if let minute = minutes.firstBit(from: minute + 1) {
                return hour * 3_600 + minute * 60 + firstSecond
            }
        }
        return UInt64(hours).firstBit(from: hour + 1).map {
            $0 * 3_600 + firstMinute * 60 + firstSecond
        }
    }
}

extension UInt64 {
    /// The number of the first bit at or after `from`.
    fileprivate func firstBit(from: Int64) -> Int64? {
        let left = self & (~0 << UInt64(from))
        return left == 0 ? nil : Int64(left.trailingZeroBitCount)
    }
}

/// cronie's rules for clocks that are set forward or back (cron(8)). A change of up to three hours is daylight saving:
/// a skipped time of day comes right after the gap, and a repeated one counts once. Jobs that follow the clock run
/// whenever it shows a match; after a larger change all jobs do.
extension CronSchedule {
    private static let savingLimit: Int64 = 3 * 3_600

    /// The first occurrence at or after `start`, in seconds since 1970 (UTC), in `zone`.
    func occurrence(from start: Int64, in zone: ZoneRules) -> (second: Int64, asked: CivilTime)? {
        var time = start
        // Two changes a year, for as long as a match can be away.
        for _ in 0..<200 {
            let stretch = zone.stretch(at: time)
            var civil = ZoneRules.civil(at: time, offset: stretch.offset)
            if !followsClock, let begin = stretch.start {
                let before = zone.offset(at: begin.saturatingSubtracting(1))
                let shift = stretch.offset.saturatingSubtracting(before)
                let shown = ZoneRules.civil(at: begin, offset: before)
                if time == begin, shift > 0, shift <= Self.savingLimit,
                    let skipped = match(from: shown),
                    skipped < ZoneRules.civil(at: begin, offset: stretch.offset)
                {
                    return (begin, skipped)
                }
                if shift < 0, shift >= -Self.savingLimit { civil = max(civil, shown) }
            }
            guard let found = match(from: civil) else { return nil }
            let second = found.seconds.saturatingSubtracting(stretch.offset)
            guard let end = stretch.end, second >= end else { return (second, found) }
            time = end
        }
        return nil
    }
}
