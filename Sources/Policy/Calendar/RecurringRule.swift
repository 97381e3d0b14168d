// SPDX-License-Identifier: Apache-2.0

/// The rule at the end of a TZif file, as POSIX TZ writes it: `CET-1CEST,M3.5.0,M10.5.0/3`.
package struct RecurringRule: Equatable, Sendable {
    /// Seconds east of UTC.
    let standard: Int64
    let saving: Saving?

    struct Saving: Equatable, Sendable {
        let offset: Int64
        let begins: YearDay
        let ends: YearDay
    }

    /// A day of every year and a time, which may be outside of that day.
    struct YearDay: Equatable, Sendable {
        let day: Day
        let seconds: Int64

        enum Day: Equatable, Sendable {
            /// `M3.5.0`: month, week (5: the last), weekday (0: Sunday).
            case weekday(month: Int64, week: Int64, weekday: Int64)
            /// `J60`: from 1, 29 February is never counted.
            case julian(Int64)
            /// `59`: from 0, 29 February is counted.
            case zeroBased(Int64)
        }
    }

    /// The rule as it was written.
    package let posix: String

    /// Nil if `text` is empty or not a valid rule.
    package init?(posix text: String) {
        posix = text
        var rest = Substring(text)
        guard Self.takeName(&rest), let west = Self.takeTime(&rest) else { return nil }
        standard = -west
        guard !rest.isEmpty else {
            saving = nil
            return
        }
        guard Self.takeName(&rest) else { return nil }
        let offset = rest.first == "," ? standard + 3_600 : Self.takeTime(&rest).map { -$0 }
        guard let offset, let begins = Self.takeYearDay(&rest),
            let ends = Self.takeYearDay(&rest), rest.isEmpty
        else { return nil }
        saving = Saving(offset: offset, begins: begins, ends: ends)
    }

    /// Seconds east of UTC at `time`, seconds since 1970 (UTC).
    func offset(at time: Int64) -> Int64 {
        guard let saving else { return standard }
        let time = ZoneRules.computable(time)
        let year = CivilTime(seconds: time + standard).date.year
        let begins = saving.begins.seconds(in: year) - standard
        let ends = saving.ends.seconds(in: year) - saving.offset
        let isSaving =
            begins < ends
            ? (begins..<ends).contains(time) : !(ends..<begins).contains(time)
        return isSaving ? saving.offset : standard
    }

    /// The period around `time` with a constant offset.
    func stretch(at time: Int64) -> ZoneRules.Stretch {
        var stretch = ZoneRules.Stretch(start: nil, end: nil, offset: offset(at: time))
        guard let saving else { return stretch }
        let time = ZoneRules.computable(time)
        let year = CivilTime(seconds: time + standard).date.year
        for year in (year - 1)...(year + 1) {
            for change in [
                saving.begins.seconds(in: year) - standard,
                saving.ends.seconds(in: year) - saving.offset,
            ] {
                if change <= time {
                    stretch.start = max(stretch.start ?? change, change)
                } else {
                    stretch.end = min(stretch.end ?? change, change)
                }
            }
        }
        return stretch
    }

    /// Whether `rest` began with this character.
    private static func take(_ character: Character, _ rest: inout Substring) -> Bool {
        guard rest.first == character else { return false }
        rest.removeFirst()
        return true
    }

    private static func takeName(_ rest: inout Substring) -> Bool {
        if rest.first == "<" {
            guard let close = rest.firstIndex(of: ">") else { return false }
            rest = rest[rest.index(after: close)...]
            return true
        }
        let name = rest.prefix(while: \.isLetter)
        rest = rest.dropFirst(name.count)
        return name.count >= 3
    }

    /// `-1`, `3:30`, `+12:45:00`: seconds.
    private static func takeTime(_ rest: inout Substring) -> Int64? {
        let isNegative = take("-", &rest)
        if !isNegative { _ = take("+", &rest) }
        var seconds: Int64 = 0
        for scale: Int64 in [3_600, 60, 1] {
            guard let number = takeNumber(&rest) else { return nil }
            seconds += number * scale
            guard take(":", &rest) else { break }
        }
        return isNegative ? -seconds : seconds
    }

    private static func takeNumber(_ rest: inout Substring) -> Int64? {
        let digits = rest.prefix { $0.isASCII && $0.isNumber }.prefix(4)
        rest = rest.dropFirst(digits.count)
        return Int64(digits)
    }

    private static func takeYearDay(_ rest: inout Substring) -> YearDay? {
        guard take(",", &rest), let day = takeDay(&rest) else { return nil }
        guard take("/", &rest) else { return YearDay(day: day, seconds: 7_200) }
        return takeTime(&rest).map { YearDay(day: day, seconds: $0) }
    }

    private static func takeDay(_ rest: inout Substring) -> YearDay.Day? {
        if take("J", &rest) { return takeNumber(&rest).map { .julian($0) } }
        guard take("M", &rest) else { return takeNumber(&rest).map { .zeroBased($0) } }
        guard let month = takeNumber(&rest), take(".", &rest), let week = takeNumber(&rest),
            take(".", &rest), let weekday = takeNumber(&rest), (1...12).contains(month),
            (1...5).contains(week), weekday < 7
        else { return nil }
        return .weekday(month: month, week: week, weekday: weekday)
    }
}

extension RecurringRule.YearDay {
    /// Seconds since 1970-01-01 00:00 on the clock of the zone.
    fileprivate func seconds(in year: Int64) -> Int64 {
        let january = CivilTime.days(year: year, month: 1, day: 1)
        let dayNumber: Int64
        switch day {
        case .zeroBased(let day):
            dayNumber = january + day
        case .julian(let day):
            dayNumber = january + day - (CivilTime.isLeap(year) && day >= 60 ? 0 : 1)
        case .weekday(let month, let week, let weekday):
            let first = CivilTime.days(year: year, month: month, day: 1)
            // 1970-01-01 was a Thursday.
            let ahead = CivilTime.modulo(weekday - CivilTime.modulo(first + 4, 7), 7)
            var date = first + ahead + (week - 1) * 7
            if date >= first + CivilTime.daysIn(month: month, of: year) { date -= 7 }
            dayNumber = date
        }
        return dayNumber * 86_400 + seconds
    }
}
