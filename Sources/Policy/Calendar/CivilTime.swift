// SPDX-License-Identifier: Apache-2.0

/// A date and time of day on a clock, in no particular zone: seconds since 1970-01-01 00:00 on it (Gregorian).
package struct CivilTime: Equatable, Comparable, Sendable {
    package var seconds: Int64

    package init(seconds: Int64) { self.seconds = seconds }

    package init(
        year: Int64, month: Int64, day: Int64, hour: Int64 = 0, minute: Int64 = 0, second: Int64 = 0
    ) {
        seconds =
            Self.days(year: year, month: month, day: day) * 86_400 + hour * 3_600 + minute * 60
            + second
    }

    package static func < (left: CivilTime, right: CivilTime) -> Bool {
        left.seconds < right.seconds
    }

    /// Days since 1970-01-01.
    package var day: Int64 { Self.floorDivide(seconds, 86_400) }

    /// Since midnight.
    package var secondOfDay: Int64 { seconds - day * 86_400 }

    package var weekday: Weekday { Weekday.allCases[Int(Self.modulo(day + 3, 7))] }

    /// Year, month from 1, day from 1 (Hinnant, "chrono-compatible low-level date algorithms").
    package var date: (year: Int64, month: Int64, day: Int64) {
        let shifted = day + 719_468
        let era = Self.floorDivide(shifted, 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    /// `2026-03-02 06:00`, with seconds when they are not zero.
    package var text: String { "\(dateText) \(timeOfDay)" }

    /// `2026-03-02`.
    package var dateText: String {
        let (year, month, day) = date
        return "\(year.digits(4))-\(month.digits(2))-\(day.digits(2))"
    }

    /// `06:00:00`.
    package var clock: String {
        [secondOfDay / 3_600, secondOfDay / 60 % 60, secondOfDay % 60].map { $0.digits(2) }
            .joined(separator: ":")
    }

    /// `06:00`, with seconds when they are not zero.
    package var timeOfDay: String {
        secondOfDay % 60 == 0 ? String(clock.dropLast(3)) : clock
    }

    /// Days since 1970-01-01; a month or day out of range counts on into the next.
    package static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let era = floorDivide(year, 400)
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    static func isLeap(_ year: Int64) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }

    static func daysIn(month: Int64, of year: Int64) -> Int64 {
        days(year: month == 12 ? year + 1 : year, month: month == 12 ? 1 : month + 1, day: 1)
            - days(year: year, month: month, day: 1)
    }

    /// The quotient rounded down, also below zero.
    package static func floorDivide(_ value: Int64, _ divisor: Int64) -> Int64 {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }

    package static func modulo(_ value: Int64, _ divisor: Int64) -> Int64 {
        let rest = value % divisor
        return rest < 0 ? rest + divisor : rest
    }
}

extension BinaryInteger {
    /// Its text with at least `count` digits.
    package func digits(_ count: Int, radix: Int = 10) -> String {
        let text = String(self, radix: radix)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }
}

package enum Weekday: String, Sendable, CaseIterable {
    case monday, tuesday, wednesday, thursday, friday, saturday, sunday

    /// `Mon`
    package var shortName: String {
        rawValue.prefix(1).uppercased() + rawValue.dropFirst().prefix(2)
    }

    package var isWeekend: Bool { self == .saturday || self == .sunday }
}
