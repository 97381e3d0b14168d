// SPDX-License-Identifier: Apache-2.0

extension CronSchedule {
    /// Reads a cron expression: five fields, six with the seconds first, or a name such as `@hourly`.
    package init(_ expression: String, seeds: CronSeeds) throws(ScheduleProblem) {
        let whole = ExpressionPart(characters: Array(expression)[...])
        let parts = whole.words
        if let first = parts.first, first.first == "@" {
            guard parts.count == 1 else {
                throw parts[1].problem("nothing stands after `\(first.text)`", help: "drop it")
            }
            self = try CronSchedule(try Self.meaning(of: first), seeds: seeds)
            return
        }
        guard parts.count == 5 || parts.count == 6 else {
            throw whole.problem(
                "a cron expression has 5 fields, or 6 with the seconds first, not \(parts.count)",
                help: "write minute, hour, day, month and weekday: `30 2 * * mon-fri`")
        }
        var bits: [UInt64] = parts.count == 5 ? [1] : []
        for part in parts { bits.append(try CronField.all[bits.count].parse(part, seeds)) }
        let fields = parts.suffix(5).map { $0.first == "*" }
        var stars: Stars = []
        if fields[0] { stars.insert(.minute) }
        if fields[1] { stars.insert(.hour) }
        if fields[2] { stars.insert(.day) }
        if fields[4] { stars.insert(.weekday) }
        self.init(
            seconds: bits[0], minutes: bits[1], hours: UInt32(bits[2]), days: UInt32(bits[3]),
            months: UInt16(bits[4]), weekdays: UInt8(bits[5] & 0x7F | bits[5] >> 7), stars: stars)
        guard match(from: CivilTime(year: 2000, month: 1, day: 1)) != nil else {
            throw never(parts[parts.count - 3])
        }
    }

    /// The first step of a valid expression that is longer than its range, so that it selects only one value.
    package static func longStep(in expression: String) -> ScheduleProblem? {
        let parts = ExpressionPart(characters: Array(expression)[...]).words
        for (part, field) in zip(parts, CronField.all.suffix(parts.count)) {
            for item in part.split(at: ",") {
                if let problem = field.longStep(in: item) { return problem }
            }
        }
        return nil
    }

    private static func meaning(of name: ExpressionPart) throws(ScheduleProblem) -> String {
        let known = [
            "@hourly": "0 * * * *", "@daily": "0 0 * * *", "@midnight": "0 0 * * *",
            "@weekly": "0 0 * * 0", "@monthly": "0 0 1 * *", "@yearly": "0 0 1 1 *",
            "@annually": "0 0 1 1 *",
        ]
        if let meaning = known[name.text] { return meaning }
        if name.text == "@reboot" {
            throw name.problem(
                "`@reboot` is not a time", help: "write `on: {launch: true}` in place of `cron`")
        }
        let near = NearMiss.nearest(to: name.text, among: known.keys.sorted())
        throw name.problem(
            "`\(name.text)` is not known",
            help: near.map { "write `\($0)`" }
                ?? "the names are @hourly, @daily, @midnight, @weekly, @monthly, @yearly and @annually"
        )
    }

    /// No month has these days.
    private func never(_ field: ExpressionPart) -> ScheduleProblem {
        let ofMonths = (1...12).filter { months & 1 << UInt16($0) != 0 }
        let names = ofMonths.map { CronField.monthNames[$0 - 1].capitalized }
        let day = days.trailingZeroBitCount
        return field.problem(
            "\(names.joined(separator: ", ")) \(day) never comes",
            help: "write a day those months have; `calendar: \"*-*~1\"` is the last of each month")
    }
}

extension String {
    fileprivate var capitalized: String { prefix(1).uppercased() + dropFirst() }
}

/// One field of a cron expression and its valid values.
struct CronField: Sendable {
    let number: Int
    let name: String
    let range: ClosedRange<Int64>
    let names: [String]

    static let monthNames = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]
    static let weekdayNames = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]

    static let all = [
        CronField(number: 0, name: "second", range: 0...59, names: []),
        CronField(number: 1, name: "minute", range: 0...59, names: []),
        CronField(number: 2, name: "hour", range: 0...23, names: []),
        CronField(number: 3, name: "day", range: 1...31, names: []),
        CronField(number: 4, name: "month", range: 1...12, names: monthNames),
        CronField(number: 5, name: "weekday", range: 0...7, names: weekdayNames),
    ]

    /// The values of the field, as bits.
    func parse(_ field: ExpressionPart, _ seeds: CronSeeds) throws(ScheduleProblem) -> UInt64 {
        var bits: UInt64 = 0
        for item in field.split(at: ",") { bits |= try parse(item: item, field, seeds) }
        return bits
    }

    private func parse(
        item: ExpressionPart, _ field: ExpressionPart, _ seeds: CronSeeds
    ) throws(ScheduleProblem) -> UInt64 {
        let pieces = item.split(at: "/")
        guard let base = pieces.first, pieces.count <= 2, !item.characters.isEmpty else {
            throw (item.characters.isEmpty ? field : item).problem(
                "\"\(field.text)\" is not a valid \(name)",
                help: "write numbers and ranges, with commas between: `0,15-20,30-59/10`")
        }
        let step = pieces.count == 2 ? try parse(step: pieces[1]) : 1
        if base.text == "*" { return bits(range, step: step) }
        if base.first == "H" { return try parse(hashed: base, seeds, step, pieces.count == 2) }
        if base.characters.contains("~") {
            guard pieces.count == 1 else {
                throw item.problem(
                    "`~` is one value and has no step", help: "write `H/\(step)` to spread steps")
            }
            return 1 << UInt64(try parse(random: base, seeds))
        }
        let ends = base.split(at: "-")
        guard ends.count <= 2 else { throw unreadable(base) }
        let low = try value(of: ends[0])
        guard ends.count == 2 else {
            guard pieces.count == 1 else {
                throw item.problem(
                    "a step needs a range, and \(base.text) is one \(name)",
                    help: "write `\(base.text)-\(top)/\(step)`")
            }
            return 1 << UInt64(low)
        }
        return bits(try ordered(low, try value(of: ends[1]), ends[1], base), step: step)
    }

    /// The last value, without the alias 7 for Sunday.
    private var top: Int64 { names.count == 7 ? 6 : range.upperBound }

    private func bits(_ range: ClosedRange<Int64>, step: Int64) -> UInt64 {
        stride(from: range.lowerBound, through: range.upperBound, by: Int(step))
            .reduce(0) { $0 | 1 << UInt64($1) }
    }

    /// Sunday at the end of a range counts as 7.
    private func ordered(
        _ low: Int64, _ high: Int64, _ end: ExpressionPart, _ whole: ExpressionPart
    ) throws(ScheduleProblem) -> ClosedRange<Int64> {
        let high = high == 0 && low > 0 && names.count == 7 ? 7 : high
        guard low <= high else {
            throw whole.problem(
                "the range \(whole.text) ends before it begins",
                help: "write two ranges, with a comma between")
        }
        return low...high
    }

    private func parse(step: ExpressionPart) throws(ScheduleProblem) -> Int64 {
        guard let number = step.number, number > 0, number <= 1_000 else {
            throw step.problem(
                "\"\(step.text)\" is not a step", help: "write a number from 1 on, as in `*/15`")
        }
        return number
    }

    /// A step over all values of the field that exceeds the number of values.
    func longStep(in item: ExpressionPart) -> ScheduleProblem? {
        let pieces = item.split(at: "/")
        guard pieces.count == 2, let step = pieces[1].number,
            ["*", "H"].contains(pieces[0].text), step > top - range.lowerBound + 1
        else { return nil }
        let whole = ["minute", "hour", "day", "month", "year", "week"][number]
        let period = number < 4 ? ", or `every: \(step)\(name.prefix(1))` for a longer period" : ""
        return item.problem(
            "`\(item.text)` is one \(name) of each \(whole): its step is longer than the \(whole)",
            help: "write the \(name) itself\(period)")
    }

    private func parse(
        random base: ExpressionPart, _ seeds: CronSeeds
    ) throws(ScheduleProblem) -> Int64 {
        let ends = base.split(at: "~")
        guard ends.count == 2 else { throw unreadable(base) }
        let low = ends[0].characters.isEmpty ? range.lowerBound : try value(of: ends[0])
        let high = ends[1].characters.isEmpty ? top : try value(of: ends[1])
        return seeds.pick(try ordered(low, high, ends[1], base), field: number, perMachine: true)
    }

    /// `H`, `H/15`, `H(0-7)`, `H(0-29)/10`. `H` of the day stays below 29, so that each month has it.
    private func parse(
        hashed base: ExpressionPart, _ seeds: CronSeeds, _ step: Int64, _ hasStep: Bool
    ) throws(ScheduleProblem) -> UInt64 {
        var within = range.lowerBound...(number == 3 ? 28 : top)
        if base.characters.count > 1 {
            let text = base.characters
            guard text[text.startIndex + 1] == "(", text.last == ")" else { throw unreadable(base) }
            let inner = ExpressionPart(characters: text.dropFirst(2).dropLast())
            let ends = inner.split(at: "-")
            guard ends.count == 2 else { throw unreadable(base) }
            within = try ordered(try value(of: ends[0]), try value(of: ends[1]), ends[1], inner)
        }
        guard hasStep else {
            return 1 << UInt64(seeds.pick(within, field: number, perMachine: false))
        }
        let last = min(within.upperBound, within.lowerBound + step - 1)
        let start = seeds.pick(within.lowerBound...last, field: number, perMachine: false)
        return bits(start...within.upperBound, step: step)
    }

    private func value(of part: ExpressionPart) throws(ScheduleProblem) -> Int64 {
        if let number = part.number {
            if range.contains(number) { return number }
            throw part.problem(
                number > range.upperBound
                    ? "\(name) \(number) is over \(range.upperBound)"
                    : "\(name) \(number) is under \(range.lowerBound)",
                help: "write one from \(range.lowerBound) to \(range.upperBound)")
        }
        if let index = names.firstIndex(of: part.text.lowercased()) {
            return Int64(index) + (range.lowerBound == 1 ? 1 : 0)
        }
        throw unreadable(part)
    }

    private func unreadable(_ part: ExpressionPart) -> ScheduleProblem {
        let word = part.text.lowercased()
        let near =
            NearMiss.nearest(to: word, among: names)
            ?? names.first { word.count > 3 && word.hasPrefix($0) }
        if let near {
            return part.problem("\"\(part.text)\" is not a valid \(name)", help: "write `\(near)`")
        }
        let isQuartz = word.contains { "lw#?".contains($0) } && word.count <= 4 && number >= 3
        if isQuartz {
            return part.problem(
                "\"\(part.text)\" is Quartz's, not cron's",
                help: "write it as a `calendar`: `*-*~1` is a month's last day, `Mon *-*-1..7` its "
                    + "first Monday")
        }
        let example = names.isEmpty ? "" : ", or \(names[0]) to \(names[names.count - 1])"
        return part.problem(
            "\"\(part.text)\" is not a valid \(name)",
            help: "write a number from \(range.lowerBound) to \(range.upperBound)\(example)")
    }
}
