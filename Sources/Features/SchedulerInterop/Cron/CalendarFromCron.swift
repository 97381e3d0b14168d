// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

extension CronFields {
    /// The same dates in the form of systemd.time(7): one expression, or two if cron takes either day. Random ranges
    /// must be resolved before.
    var calendarExpressions: [String] {
        let time = [
            Self.part(hour, digits: 2), Self.part(minute, digits: 2), Self.part(second, digits: 2),
        ].joined(separator: ":")
        let month = Self.part(month, digits: 2, Unit.month)
        let day = Self.part(day, digits: 2, Unit.all[3])
        let names = weekday == "*" ? "" : Self.weekdayNames(weekday) + " "
        if hasEitherDay {
            return ["\(names)*-\(month)-* \(time)", "*-\(month)-\(day) \(time)"]
        }
        return ["\(names)*-\(month)-\(day) \(time)"]
    }

    /// One field, element by element. systemd writes `*/5` as `00/5`.
    private static func part(_ field: String, digits: Int, _ unit: Unit = .minutes) -> String {
        field.split(separator: ",").map { element in
            let halves = element.split(separator: "/", maxSplits: 1)
            if halves[0] == "*" {
                return halves.count > 1 ? "\(unit.low.digits(digits))/\(halves[1])" : "*"
            }
            let ends = halves[0].split(separator: "-").map { end in
                unit.number(end)?.digits(digits) ?? String(end)
            }
            let range = ends.joined(separator: "..")
            return halves.count > 1 ? "\(range)/\(halves[1])" : range
        }.joined(separator: ",")
    }

    /// The days in a field, as ranges from Monday on; empty for all seven.
    private static func weekdayNames(_ field: String) -> String {
        let names = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
        let days = Set(numbers(field, Unit.weekday).map { ($0 + 6) % 7 })
        var parts: [String] = []
        var day = 0
        while day < 7 {
            var end = day
            while days.contains(day), end < 6, days.contains(end + 1) { end += 1 }
            if days.contains(day) {
                parts.append(
                    end > day + 1
                        ? "\(names[day])..\(names[end])"
                        : end > day ? "\(names[day]),\(names[end])" : names[day])
            }
            day = end + 1
        }
        return parts.joined(separator: ",")
    }

    /// All numbers in a field, in order; it must not contain random ranges.
    static func numbers(_ field: String, _ unit: Unit) -> [Int] {
        var all: Set<Int> = []
        for element in field.split(separator: ",") {
            let halves = element.split(separator: "/", maxSplits: 1)
            let step = halves.count > 1 ? Int(halves[1]) ?? 1 : 1
            if let ends = unit.ends(halves[0]) {
                all.formUnion(stride(from: ends.low, through: ends.high, by: step))
            } else if let number = unit.number(halves[0]) {
                all.insert(number)
            }
        }
        return all.sorted()
    }
}
