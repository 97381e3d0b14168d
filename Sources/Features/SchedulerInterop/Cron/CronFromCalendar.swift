// SPDX-License-Identifier: Apache-2.0

extension CronFields {
    /// The cron expression of a calendar expression of systemd.time(7), and the zone at its end; nil if cron cannot
    /// express it: seconds, years, days from the end of the month, both kinds of days.
    static func fields(ofCalendar text: String) -> (fields: CronFields, zone: String?)? {
        var words = text.words
        guard !words.isEmpty else { return nil }
        if let short = shorthand[words[0].lowercased()] {
            words = short.words + words.dropFirst()
        }
        var zone: String?
        if let last = words.last, words.count > 1, last.first?.isLetter ?? false,
            !last.contains(":"), weekdays(last) == nil
        {
            zone = last
            words.removeLast()
        }
        var weekday = "*"
        if let first = words.first, first.first?.isLetter ?? false {
            guard let field = weekdays(first) else { return nil }
            weekday = field
            words.removeFirst()
        }
        var date = ["*", "*", "*"]
        if let first = words.first, first.contains("-") {
            date = first.split(separator: "-").map(String.init)
            if date.count == 2 { date.insert("*", at: 0) }
            words.removeFirst()
        }
        var time = ["0", "0", "0"]
        if let first = words.first {
            time = first.split(separator: ":").map(String.init)
            if time.count == 2 { time.append("0") }
            words.removeFirst()
        }
        guard words.isEmpty, date.count == 3, time.count == 3, date[0] == "*",
            let month = field(date[1], Unit.month), let day = field(date[2], Unit.all[3]),
            let hour = field(time[0], Unit.all[2]), let minute = field(time[1], .minutes),
            Double(time[2]) == 0, weekday == "*" || day == "*",
            let fields = CronFields("\(minute) \(hour) \(day) \(month) \(weekday)")
        else { return nil }
        return (fields, zone)
    }

    private static let shorthand = [
        "minutely": "*:*:0", "hourly": "*:0:0", "daily": "0:0:0", "weekly": "Mon 0:0:0",
        "monthly": "*-*-1 0:0:0", "quarterly": "*-1,4,7,10-1 0:0:0",
        "semiannually": "*-1,7-1 0:0:0", "yearly": "*-1-1 0:0:0", "annually": "*-1-1 0:0:0",
    ]

    /// `0/15`, `1..5`, `00,12`; nil for other forms.
    private static func field(_ text: String, _ unit: Unit) -> String? {
        var parts: [String] = []
        for element in text.split(separator: ",", omittingEmptySubsequences: false) {
            let halves = element.split(separator: "/", omittingEmptySubsequences: false)
            guard let range = halves.first, halves.count <= 2, !range.contains("~") else {
                return nil
            }
            let step = halves.count > 1 ? Int(halves[1]) : nil
            if halves.count > 1, step ?? 0 < 1 { return nil }
            if range == "*" {
                parts.append(step.map { "*/\($0)" } ?? "*")
                continue
            }
            let ends = range.replacingDots.split(separator: ":").compactMap { unit.number($0) }
            guard ends.count == range.replacingDots.split(separator: ":").count,
                (1...2).contains(ends.count)
            else { return nil }
            switch (ends.count, step) {
            case (1, nil): parts.append("\(ends[0])")
            case (1, let step?):
                parts.append(
                    ends[0] == unit.low ? "*/\(step)" : "\(ends[0])-\(unit.high)/\(step)")
            case (_, let step):
                parts.append("\(ends[0])-\(ends[1])" + (step.map { "/\($0)" } ?? ""))
            }
        }
        return parts.joined(separator: ",")
    }

    /// `Mon..Fri,Sun` as a field; nil if a word is not a weekday.
    private static func weekdays(_ text: String) -> String? {
        var parts: [String] = []
        for element in text.lowercased().split(separator: ",") {
            let ends = element.replacingDots.split(separator: ":").map { String($0.prefix(3)) }
            let numbers = ends.compactMap { Unit.weekdays.firstIndex(of: $0) }
            guard numbers.count == ends.count, (1...2).contains(numbers.count) else { return nil }
            guard numbers.count == 2 else {
                parts.append("\(numbers[0])")
                continue
            }
            // Sunday ends a week here, and ranges may wrap around it.
            let high = numbers[1] == 0 ? 7 : numbers[1]
            if numbers[0] <= high {
                parts.append("\(numbers[0])-\(high)")
            } else {
                parts += ["\(numbers[0])-6", "0-\(high)"]
            }
        }
        return parts.joined(separator: ",")
    }
}

extension StringProtocol {
    /// With a colon in place of `..` or `-`.
    fileprivate var replacingDots: String {
        var result = ""
        for character in self {
            if character == ".", result.last == ":" { continue }
            result.append(character == "." || character == "-" ? ":" : character)
        }
        return result
    }
}
