// SPDX-License-Identifier: Apache-2.0

/// A calendar event expression of systemd.time(7).
package struct SystemdCalendar: Equatable, Sendable {
    /// Bit 0 is Monday; 0: every day of the week.
    package var weekdays: UInt8
    /// In each list: no components stand for `*`.
    package var years: [Component]
    package var months: [Component]
    package var days: [Component]
    /// Whether days are counted back from the end of the month (`~`).
    package var daysFromEnd: Bool
    package var hours: [Component]
    package var minutes: [Component]
    /// In microseconds.
    package var seconds: [Component]

    /// `start`, `start/step`, `start..stop` or `start..stop/step`.
    package struct Component: Equatable, Sendable {
        package var start: Int64
        package var stop: Int64?
        /// 0: `start` only.
        package var step: Int64

        package init(start: Int64, stop: Int64? = nil, step: Int64 = 0) {
            self.start = start
            self.stop = stop
            self.step = step
        }
    }

    package init(
        weekdays: UInt8 = 0, years: [Component] = [], months: [Component] = [],
        days: [Component] = [], daysFromEnd: Bool = false,
        hours: [Component] = [Component(start: 0)], minutes: [Component] = [Component(start: 0)],
        seconds: [Component] = [Component(start: 0)]
    ) {
        self.weekdays = weekdays
        self.years = years
        self.months = months
        self.days = days
        self.daysFromEnd = daysFromEnd
        self.hours = hours
        self.minutes = minutes
        self.seconds = seconds
    }

    static let years: ClosedRange<Int64> = 1970...2199

    /// The first value at or after `value` that matches one of the components.
    private static func match(_ components: [Component], from value: Int64) -> Int64? {
        if components.isEmpty { return value }
        return components.compactMap { $0.match(from: value) }.min()
    }

    /// A date and time under construction.
    private struct Moment {
        var year: Int64
        var month: Int64
        var day: Int64
        var hour: Int64
        var minute: Int64
        /// Since the start of the minute.
        var microsecond: Int64

        init(_ civil: CivilTime, microsecond: Int64 = 0) {
            (year, month, day) = civil.date
            (hour, minute) = (civil.secondOfDay / 3_600, civil.secondOfDay / 60 % 60)
            self.microsecond = civil.secondOfDay % 60 * 1_000_000 + microsecond
        }

        /// The start of an hour, minute, ..., which may be one more than there are: it counts on into the next.
        init(year: Int64, month: Int64 = 1, day: Int64 = 1, hour: Int64 = 0, minute: Int64 = 0) {
            self.init(
                CivilTime(year: year, month: month, day: day, hour: hour, minute: minute))
        }

        var civil: CivilTime {
            CivilTime(
                year: year, month: month, day: day, hour: hour, minute: minute,
                second: microsecond / 1_000_000)
        }
    }

    /// The first match at or after `from` and a part of a second, in microseconds.
    func match(from: CivilTime, microsecond: Int64) -> (civil: CivilTime, microsecond: Int64)? {
        var moment = Moment(from, microsecond: microsecond)
        // Each round advances a year, month, day, hour or minute towards a match: at most 230 years, and a month of
        // days with the wrong weekday in each.
        for _ in 0..<20_000 {
            guard let year = Self.match(years, from: moment.year), Self.years.contains(year)
            else { return nil }
            if year != moment.year { moment = Moment(year: year) }
            guard let month = Self.match(months, from: moment.month), month <= 12 else {
                moment = Moment(year: year + 1)
                continue
            }
            if month != moment.month { moment = Moment(year: year, month: month) }
            let length = CivilTime.daysIn(month: month, of: year)
            guard let day = matchDay(from: moment.day, length), day <= length else {
                moment = Moment(year: year, month: month + 1)
                continue
            }
            if day != moment.day { moment = Moment(year: year, month: month, day: day) }
            let weekday = CivilTime.modulo(
                CivilTime.days(year: year, month: month, day: day) + 3, 7)
            guard weekdays & 0x7F == 0 || weekdays & 1 << UInt8(weekday) != 0 else {
                moment = Moment(year: year, month: month, day: day + 1)
                continue
            }
            guard let hour = Self.match(hours, from: moment.hour), hour < 24 else {
                moment = Moment(year: year, month: month, day: day + 1)
                continue
            }
            if hour != moment.hour {
                (moment.hour, moment.minute, moment.microsecond) = (hour, 0, 0)
            }
            guard let minute = Self.match(minutes, from: moment.minute), minute < 60 else {
                moment = Moment(year: year, month: month, day: day, hour: hour + 1)
                continue
            }
            if minute != moment.minute { (moment.minute, moment.microsecond) = (minute, 0) }
            guard let second = Self.match(seconds, from: moment.microsecond), second < 60_000_000
            else {
                moment = Moment(
                    year: year, month: month, day: day, hour: hour, minute: minute + 1)
                continue
            }
            moment.microsecond = second
            return (moment.civil, second % 1_000_000)
        }
        return nil
    }

    private func matchDay(from day: Int64, _ length: Int64) -> Int64? {
        guard daysFromEnd, !days.isEmpty else { return Self.match(days, from: day) }
        return days.compactMap { $0.fromEnd(length).match(from: day) }.min()
    }
}

extension SystemdCalendar.Component {
    fileprivate func match(from value: Int64) -> Int64? {
        if start >= value { return start }
        guard step > 0 else { return nil }
        let found = start + (value - start + step - 1) / step * step
        return stop.map { found <= $0 } ?? true ? found : nil
    }

    fileprivate func fromEnd(_ length: Int64) -> Self {
        // fits: a month has at most 31 days
        func day(_ back: Int64) -> Int64 { back <= length ? length + 1 - back : -1 }
        let first = day(start)
        guard let last = stop.map(day), last > 0 else {
            return Self(start: first, stop: nil, step: step)
        }
        return Self(start: last, stop: first, step: step)
    }
}

extension SystemdCalendar {
    /// The first occurrence at or after `start`, in milliseconds since 1970 (UTC), in `zone`. As in systemd, a time
    /// that clocks skip is left out, and a repeated one comes once.
    func occurrence(from start: Int64, in zone: ZoneRules) -> Int64? {
        let second = CivilTime.floorDivide(start, 1_000)
        let now = zone.stretch(at: second)
        var civil = ZoneRules.civil(at: second, offset: now.offset)
        var microsecond = (start - second * 1_000) * 1_000
        if let begin = now.start {
            // Clocks were set back: the repeated times have occurred before.
            let before = zone.offset(at: begin.saturatingSubtracting(1))
            let shown = ZoneRules.civil(at: begin, offset: before)
            if shown > civil { (civil, microsecond) = (shown, 0) }
        }
        for _ in 0..<1_000 {
            guard let found = match(from: civil, microsecond: microsecond) else { return nil }
            let first = zone.instant(of: found.civil)
            let stretch = zone.stretch(at: first)
            let shown = first.saturatingAdding(stretch.offset)
            guard shown == found.civil.seconds else {
                // Skipped: continue from the end of the gap.
                let end = shown < found.civil.seconds ? stretch.end : stretch.start
                let after = end.map { zone.civil(at: $0) } ?? found.civil
                let next = CivilTime(seconds: found.civil.seconds + 1)
                (civil, microsecond) = (max(after, next), 0)
                continue
            }
            let date = first.saturatingMultiplied(by: 1_000)
                .saturatingAdding(found.microsecond / 1_000)
            if date >= start { return date }
            (civil, microsecond) = (CivilTime(seconds: found.civil.seconds + 1), 0)
        }
        return nil
    }
}
