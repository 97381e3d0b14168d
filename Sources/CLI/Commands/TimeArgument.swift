// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunManifest
import BGRunPolicy
import BGRunSystem
import Glibc

/// A date on the command line: `-2h` and `+30m` from now, `14:30` today, a date, or a date and a time,
/// local without an offset (RFC 3339).
struct TimeArgument {
    private let text: String
    /// The distance from now; nil for an absolute time.
    let interval: Interval?

    @Sendable
    static func parse(_ text: String) throws -> TimeArgument {
        try parse(text, examples: "-2h, +30m, 14:30")
    }

    private static func parse(_ text: String, examples: String) throws -> TimeArgument {
        let time = TimeArgument(text: text, interval: interval(text))
        if isTooFar(text) {
            throw ValidationError(
                "\"\(text)\" is too far from now: the longest is 106751d, 292 years")
        }
        guard time.interval != nil || date(text, today: SystemClock().now.wall) != nil else {
            throw ValidationError(
                "\"\(text)\" is not a date; write \(examples), 2026-11-21, \"2026-11-21 14:30\" or "
                    + "2026-11-21T14:30:00Z")
        }
        return time
    }

    /// The same for the past: a duration without a sign is a time ago.
    @Sendable
    static func parsePast(_ text: String) throws -> TimeArgument {
        let isLength = Interval(manifestText: text) != nil || Interval.isTooLong(manifestText: text)
        return try parse(isLength ? "-" + text : text, examples: "-2h, 14:30")
    }

    /// A duration before now, in the format of the manifest.
    static func ago(_ text: String) -> TimeArgument {
        TimeArgument(text: "-" + text, interval: interval("-" + text))
    }

    /// The time it denotes at `now`; a simulated state has its own `now`.
    func date(at now: WallTime) -> WallTime {
        interval.map { now.advanced(by: $0) } ?? Self.date(text, today: now) ?? now
    }

    /// Whether it is a duration that is too long to be added to a date.
    private static func isTooFar(_ text: String) -> Bool {
        guard let sign = text.first, sign == "-" || sign == "+" else { return false }
        return Interval.isTooLong(manifestText: String(text.dropFirst()))
    }

    private static func interval(_ text: String) -> Interval? {
        guard let sign = text.first, sign == "-" || sign == "+",
            let length = Interval(manifestText: String(text.dropFirst()))
        else { return nil }
        return sign == "+" ? length : Interval(nanoseconds: -length.nanoseconds)
    }

    private static func date(_ text: String, today now: WallTime) -> WallTime? {
        var clock = text[...]
        let offset = takeOffset(from: &clock)
        var milliseconds: Int64 = 0
        if let point = clock.firstIndex(of: ".") {
            let digits = clock[point...].dropFirst()
            // Only seconds have a fraction, whose further digits are dropped.
            guard clock[..<point].count(where: { $0 == ":" }) == 2, !digits.isEmpty,
                digits.allSatisfy({ ("0"..."9").contains($0) }),
                let fraction = Int64((digits + "00").prefix(3))
            else { return nil }
            milliseconds = fraction
            clock = clock[..<point]
        }
        // RFC 3339 permits the second 60; it is the next one.
        if clock.hasSuffix(":60"), clock.count(where: { $0 == ":" }) == 2 {
            clock = clock.dropLast(2) + "59"
            milliseconds += 1_000
        }
        // Neither blanks around it nor `2026-03-02T`; a date without a time has no offset.
        guard [clock.first, clock.last].allSatisfy({ $0?.isNumber == true }),
            offset == nil || clock.contains(":"), let civil = civil(String(clock), today: now)
        else { return nil }
        let seconds = offset.map { civil.seconds.saturatingSubtracting($0) } ?? local(civil)
        return WallTime(milliseconds: seconds * 1_000 + milliseconds)
    }

    /// Removes `Z` or an offset such as `+02:00` from the end; nil without one. Seconds east.
    private static func takeOffset(from clock: inout Substring) -> Int64? {
        if clock.last == "Z" {
            clock.removeLast()
            return 0
        }
        let end = clock.suffix(6)
        guard let sign = end.first, sign == "+" || sign == "-",
            let seconds = ClockText.timeOfDay(String(end.dropFirst()))
        else { return nil }
        clock.removeLast(6)
        return sign == "+" ? seconds : -seconds
    }

    /// A date, with or without a time, or a time of day today.
    private static func civil(_ text: String, today now: WallTime) -> CivilTime? {
        if let civil = ClockText.dateAndTime(text, years: 0...9_999) { return civil }
        guard let second = ClockText.timeOfDay(text) else { return nil }
        return CivilTime(seconds: now.local.day * 86_400 + second)
    }

    /// Seconds since 1970 of a local time.
    private static func local(_ civil: CivilTime) -> Int64 {
        let (year, month, day) = civil.date
        var parts = tm()
        parts.tm_year = Int32(clamping: year - 1_900)
        parts.tm_mon = Int32(clamping: month - 1)
        parts.tm_mday = Int32(clamping: day)
        parts.tm_hour = Int32(clamping: civil.secondOfDay / 3_600)
        parts.tm_min = Int32(clamping: civil.secondOfDay / 60 % 60)
        parts.tm_sec = Int32(clamping: civil.secondOfDay % 60)
        parts.tm_isdst = -1
        return Int64(mktime(&parts))
    }
}
