// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunHost
import BGRunManifest
import BGRunPolicy
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
        var rest = Scanner(text)
        var parts = tm()
        if text.contains("-") {
            guard let year = rest.number(4), rest.skip("-"), let month = rest.number(2),
                rest.skip("-"), let day = rest.number(2), (1...12).contains(month),
                (1...31).contains(day)
            else { return nil }
            (parts.tm_year, parts.tm_mon, parts.tm_mday) = (year - 1_900, month - 1, day)
            // timegm(3) turns 31 February into a day of March.
            guard normalized(parts).tm_mday == day else { return nil }
            // A date without a time is its first moment.
            if rest.isAtEnd {
                return seconds(parts, &rest).map { WallTime(milliseconds: $0 * 1_000) }
            }
            guard rest.skip("T") || rest.skip(" ") else { return nil }
        } else {
            var seconds = time_t(now.milliseconds / 1_000)
            guard localtime_r(&seconds, &parts) != nil else { return nil }
        }
        guard let hour = rest.number(2), rest.skip(":"), let minute = rest.number(2),
            hour < 24, minute < 60
        else { return nil }
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (hour, minute, 0)
        var milliseconds: Int64 = 0
        if rest.skip(":") {
            guard let second = rest.number(2), second <= 60 else { return nil }
            parts.tm_sec = second
            if rest.skip(".") {
                guard let fraction = rest.fraction() else { return nil }
                milliseconds = fraction
            }
        }
        return seconds(parts, &rest).map { WallTime(milliseconds: $0 * 1_000 + milliseconds) }
    }

    private static func normalized(_ parts: tm) -> tm {
        var parts = parts
        _ = timegm(&parts)
        return parts
    }

    /// Seconds since 1970, by the offset at the end if there is one.
    private static func seconds(_ parts: tm, _ rest: inout Scanner) -> Int64? {
        var parts = parts
        if rest.isAtEnd {
            parts.tm_isdst = -1
            return Int64(mktime(&parts))
        }
        if rest.skip("Z") { return rest.isAtEnd ? Int64(timegm(&parts)) : nil }
        let isEast = rest.skip("+")
        guard isEast || rest.skip("-"), let hours = rest.number(2), rest.skip(":"),
            let minutes = rest.number(2), rest.isAtEnd
        else { return nil }
        let offset = Int64(hours) * 3_600 + Int64(minutes) * 60
        return Int64(timegm(&parts)) - (isEast ? offset : -offset)
    }

    private struct Scanner {
        private var rest: Substring

        init(_ text: String) { rest = text[...] }

        var isAtEnd: Bool { rest.isEmpty }

        mutating func skip(_ character: Character) -> Bool {
            guard rest.first == character else { return false }
            rest.removeFirst()
            return true
        }

        mutating func number(_ digits: Int) -> Int32? {
            let text = rest.prefix { ("0"..."9").contains($0) }
            guard text.count == digits else { return nil }
            rest = rest.dropFirst(digits)
            return Int32(text)  // fits: text that does not is nil
        }

        /// Milliseconds; drops further digits.
        mutating func fraction() -> Int64? {
            let digits = rest.prefix { ("0"..."9").contains($0) }
            rest = rest.dropFirst(digits.count)
            let text = digits.prefix(3)
            guard let number = Int64(text) else { return nil }
            return text.count == 1 ? number * 100 : text.count == 2 ? number * 10 : number
        }
    }
}
