// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// Lengths of time in the format of systemd.time(7).
enum TimeSpan {
    /// `1h 30min`, `90`, `1.5h`, `2weeks`; nil for `infinity` and anything that is not a length.
    static func interval(_ text: String) -> Interval? {
        var rest = Substring(text.trimmed)
        guard !rest.isEmpty else { return nil }
        var sum: Int64 = 0
        while !rest.isEmpty {
            let number = rest.prefix { $0.isNumber || $0 == "." }
            rest = rest.dropFirst(number.count).drop { $0 == " " }
            let unit = rest.prefix(while: \.isLetter)
            rest = rest.dropFirst(unit.count).drop { $0 == " " }
            guard let count = Double(number), let scale = scale(String(unit)),
                count * Double(scale) < 9e18
            else { return nil }
            let (total, overflow) = sum.addingReportingOverflow(
                Int64(clamping: count * Double(scale)))
            guard !overflow else { return nil }
            sum = total
        }
        return Interval(nanoseconds: sum)
    }

    /// `1h 30min`
    static func text(_ interval: Interval) -> String {
        let units: [(String, Int64)] = [
            ("w", 604_800_000_000_000), ("d", 86_400_000_000_000), ("h", 3_600_000_000_000),
            ("min", 60_000_000_000), ("s", 1_000_000_000), ("ms", 1_000_000),
        ]
        var rest = interval.nanoseconds
        var parts: [String] = []
        for (name, size) in units where rest >= size {
            parts.append("\(rest / size)\(name)")
            rest %= size
        }
        return parts.isEmpty ? "0" : parts.joined(separator: " ")
    }

    private static func scale(_ unit: String) -> Int64? {
        switch unit {
        case "us", "usec", "µs": 1_000
        case "ms", "msec": 1_000_000
        case "", "s", "sec", "second", "seconds": 1_000_000_000
        case "m", "min", "minute", "minutes": 60_000_000_000
        case "h", "hr", "hour", "hours": 3_600_000_000_000
        case "d", "day", "days": 86_400_000_000_000
        case "w", "week", "weeks": 604_800_000_000_000
        case "M", "month", "months": 2_629_800_000_000_000
        case "y", "year", "years": 31_557_600_000_000_000
        default: nil
        }
    }
}
