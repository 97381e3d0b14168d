// SPDX-License-Identifier: Apache-2.0

extension SystemdCalendar {
    /// Reads a calendar event expression without its zone.
    init(_ whole: ExpressionPart) throws(ScheduleProblem) {
        var parts = whole.words
        guard let first = parts.first else {
            throw whole.problem("the expression is empty", help: "write `Mon..Fri 09:00`")
        }
        if parts.count == 1, let shorthand = Self.shorthands[first.text.lowercased()] {
            self = shorthand
            return
        }
        self.init()
        if let first = first.first, first.isLetter {
            weekdays = try Self.parse(weekdays: parts.removeFirst(), isAlone: parts.isEmpty)
        }
        guard parts.count <= 2 else {
            throw parts[2].problem(
                "\"\(parts[2].text)\" stands after the time",
                help: "write weekdays, a date, a time and a zone, in that order")
        }
        if let date = parts.first, !Self.isTime(date) {
            try parse(date: date)
            parts.removeFirst()
        }
        if let time = parts.first {
            guard parts.count == 1, Self.isTime(time) else {
                let part = parts.last ?? time
                throw part.problem(
                    "\"\(part.text)\" is not a time", help: "write hours and minutes: `09:30`")
            }
            try parse(time: time)
        }
        guard match(from: CivilTime(seconds: 0), microsecond: 0) != nil else {
            throw whole.problem(
                "\"\(whole.text)\" never comes",
                help: "write a day its months have, in the years 1970 to 2199")
        }
    }

    private static func isTime(_ part: ExpressionPart) -> Bool { part.characters.contains(":") }

    private static func start(_ values: Int64...) -> [Component] {
        values.map { Component(start: $0) }
    }

    private static let shorthands: [String: SystemdCalendar] = {
        let january = SystemdCalendar(months: start(1), days: start(1))
        let half = SystemdCalendar(months: start(1, 7), days: start(1))
        return [
            "minutely": SystemdCalendar(hours: [], minutes: []),
            "hourly": SystemdCalendar(hours: []), "daily": SystemdCalendar(),
            "weekly": SystemdCalendar(weekdays: 1), "monthly": SystemdCalendar(days: start(1)),
            "quarterly": SystemdCalendar(months: start(1, 4, 7, 10), days: start(1)),
            "semiannually": half, "semi-annually": half, "biannually": half, "bi-annually": half,
            "yearly": january, "annually": january, "anually": january,
        ]
    }()

    // MARK: weekdays

    private static let weekdayNames = Weekday.allCases.map(\.rawValue)

    private static func parse(
        weekdays part: ExpressionPart, isAlone: Bool
    ) throws(ScheduleProblem) -> UInt8 {
        var bits: UInt8 = 0
        var items = part.split(at: ",")
        // systemd takes a trailing comma.
        if items.count > 1, items.last?.characters.isEmpty ?? false { items.removeLast() }
        for item in items {
            let ends = item.splitRange ?? item.split(at: "-")
            guard let first = ends.first, let last = ends.last, ends.count <= 2 else {
                throw item.problem("\"\(item.text)\" is not a range", help: "write `Mon..Fri`")
            }
            let low = try weekday(first, isAlone: isAlone)
            let high = try weekday(last, isAlone: isAlone)
            guard low <= high else {
                throw item.problem(
                    "the range \(item.text) ends before it begins: a week begins on Monday",
                    help: "write `\(first.text)..Sun,Mon..\(last.text)`")
            }
            for day in low...high { bits |= 1 << UInt8(day) }
        }
        return bits
    }

    private static func weekday(
        _ part: ExpressionPart, isAlone: Bool
    ) throws(ScheduleProblem) -> Int {
        let word = part.text.lowercased()
        if let index = weekdayNames.firstIndex(where: { $0 == word || $0.prefix(3) == word }) {
            return index
        }
        let short = Weekday.allCases.map(\.shortName)
        let names = short + weekdayNames + (isAlone ? shorthands.keys.sorted() : [])
        let near = NearMiss.nearest(to: word, among: names)
        throw part.problem(
            "\"\(part.text)\" is not a weekday\(isAlone ? " or a shorthand" : "")",
            help: near.map { "write `\($0)`" } ?? "write `Mon`, `Mon,Wed` or `Mon..Fri`")
    }

    // MARK: dates

    private mutating func parse(date part: ExpressionPart) throws(ScheduleProblem) {
        if part.first == "@" {
            guard let number = ExpressionPart(characters: part.characters.dropFirst()).number else {
                throw part.problem("\"\(part.text)\" is not a date", help: "write `2026-03-01`")
            }
            throw part.problem(
                "`@\(number)` is one moment", help: "write its date and time, with the zone `UTC`")
        }
        var pieces: [ExpressionPart] = []
        var separators: [Character] = []
        var rest = part.characters
        while let index = rest.firstIndex(where: { $0 == "-" || $0 == "~" }) {
            pieces.append(ExpressionPart(characters: rest[..<index]))
            separators.append(rest[index])
            rest = rest[(index + 1)...]
        }
        pieces.append(ExpressionPart(characters: rest))
        guard pieces.count == 2 || pieces.count == 3, !separators.dropLast().contains("~") else {
            throw part.problem(
                "\"\(part.text)\" is not a date",
                help: "write year, month and day, `*-*-01`, or month and day, `12-24`; `~` stands "
                    + "before the day only")
        }
        daysFromEnd = separators.last == "~"
        let day = pieces.removeLast()
        let month = pieces.removeLast()
        if let year = pieces.first {
            years = try CalendarField.year.parse(year)
        }
        months = try CalendarField.month.parse(month)
        days = try CalendarField.day.parse(day, fromEnd: daysFromEnd)
    }

    // MARK: times

    private mutating func parse(time part: ExpressionPart) throws(ScheduleProblem) {
        let pieces = part.split(at: ":")
        guard pieces.count == 2 || pieces.count == 3 else {
            throw part.problem(
                "\"\(part.text)\" is not a time", help: "write hours and minutes: `09:30`")
        }
        hours = try CalendarField.hour.parse(pieces[0])
        minutes = try CalendarField.minute.parse(pieces[1])
        guard pieces.count == 3 else { return }
        seconds = try CalendarField.second.parse(pieces[2])
        if seconds.isEmpty { seconds = [Component(start: 0, step: 1_000_000)] }
    }
}

extension ExpressionPart {
    /// The two parts around `..`; nil without `..`.
    var splitRange: [ExpressionPart]? {
        let indices = characters.indices.dropLast()
        guard
            let dots = indices.first(where: { characters[$0] == "." && characters[$0 + 1] == "." })
        else { return nil }
        return [
            ExpressionPart(characters: characters[..<dots]),
            ExpressionPart(characters: characters[(dots + 2)...]),
        ]
    }
}

extension SystemdCalendar.Component {
    /// systemd: 26 is 2026, and 89 is 1989.
    fileprivate var withCentury: Self {
        func full(_ year: Int64) -> Int64 {
            year < 70 ? year + 2_000 : year < 100 ? year + 1_900 : year
        }
        return Self(start: full(start), stop: stop.map(full), step: step)
    }
}

/// One component of a calendar expression and its valid values.
private struct CalendarField: Sendable {
    let name: String
    let range: ClosedRange<Int64>
    var isYear = false
    var isSeconds = false

    static let year = CalendarField(name: "year", range: 1970...2199, isYear: true)
    static let month = CalendarField(name: "month", range: 1...12)
    static let day = CalendarField(name: "day", range: 1...31)
    static let hour = CalendarField(name: "hour", range: 0...23)
    static let minute = CalendarField(name: "minute", range: 0...59)
    static let second = CalendarField(name: "second", range: 0...59_999_999, isSeconds: true)

    private var scale: Int64 { isSeconds ? 1_000_000 : 1 }

    /// The components of a list; empty for `*`. With `fromEnd` they count back.
    func parse(
        _ part: ExpressionPart, fromEnd: Bool = false
    ) throws(ScheduleProblem) -> [SystemdCalendar.Component] {
        if part.text == "*" { return [] }
        var components: [SystemdCalendar.Component] = []
        for item in part.split(at: ",") { components.append(try parse(item: item)) }
        try check(components, part, fromEnd)
        return components
    }

    private func parse(item: ExpressionPart) throws(ScheduleProblem) -> SystemdCalendar.Component {
        let pieces = item.split(at: "/")
        guard pieces.count <= 2, let base = pieces.first else { throw unreadable(item) }
        if base.text == "*" {
            let first = range.lowerBound
            throw item.problem(
                "`*` stands alone, without a step or a comma",
                help: pieces.count == 2
                    ? "write `\(first)/\(pieces[1].text)`" : "write `*`, or a list of numbers")
        }
        let ends = base.splitRange ?? [base]
        let start = try number(ends[0])
        let stop = ends.count == 2 ? try number(ends[1]) : nil
        var step = stop == nil ? 0 : scale
        if pieces.count == 2 {
            step = try number(pieces[1])
            guard step > 0 else {
                throw pieces[1].problem("a step of 0 goes nowhere", help: "write `1` or more")
            }
        }
        let component = SystemdCalendar.Component(start: start, stop: stop, step: step)
        return isYear ? component.withCentury : component
    }

    /// A whole number; for seconds, up to six digits may follow the point.
    private func number(_ part: ExpressionPart) throws(ScheduleProblem) -> Int64 {
        let pieces = part.split(at: ".")
        guard pieces.count <= (isSeconds ? 2 : 1), let whole = pieces.first?.number else {
            throw unreadable(part)
        }
        guard pieces.count == 2 else { return whole * scale }
        let digits = ExpressionPart(characters: pieces[1].characters.prefix(7))
        guard let fraction = digits.number, digits.characters.count <= 6 else {
            throw unreadable(part)
        }
        let missing = 6 - digits.characters.count
        return whole * scale + (0..<missing).reduce(fraction) { value, _ in value * 10 }
    }

    private func unreadable(_ part: ExpressionPart) -> ScheduleProblem {
        part.problem(
            "\"\(part.text)\" is not a valid \(name)",
            help: "write numbers, with `..` for a range, `,` between several and `/` for a step")
    }

    /// Rejects what systemd rejects: values out of range, and a first step beyond the range.
    private func check(
        _ components: [SystemdCalendar.Component], _ part: ExpressionPart, _ fromEnd: Bool
    ) throws(ScheduleProblem) {
        for component in components {
            for value in [component.start, component.stop ?? component.start]
            where !range.contains(value) {
                let (first, last) = (range.lowerBound / scale, range.upperBound / scale)
                throw part.problem(
                    value > range.upperBound
                        ? "\(name) \(value / scale) is over \(last)"
                        : "\(name) \(value / scale) is under \(first)",
                    help: "write one from \(first) to \(last)")
            }
            if let stop = component.stop {
                guard component.start + component.step > stop else { continue }
                throw part.problem(
                    component.start >= stop
                        ? "a range of \(name)s in \(part.text) ends before it begins"
                        : "a step in \(part.text) leads out of its range",
                    help: component.start >= stop
                        ? "write two ranges, with a comma between" : "write a smaller step")
            }
            guard component.step > 0 else { continue }
            let second =
                fromEnd ? component.start - component.step : component.start + component.step
            guard !range.contains(second) else { continue }
            throw part.problem(
                "a step in \(part.text) leads to no \(name)", help: "write a smaller step")
        }
    }
}

extension SystemdCalendar {
    /// An expression and its time zone.
    package struct Expression: Equatable, Sendable {
        package var calendar: SystemdCalendar
        /// The name of the zone at its end; nil if missing.
        package var zone: String?
        /// The position of the zone.
        package var zonePlace: Range<Int>?

        /// Reads a calendar event expression of systemd.time(7). The caller checks that the zone exists.
        package init(_ expression: String) throws(ScheduleProblem) {
            let whole = ExpressionPart(characters: Array(expression)[...])
            let parts = whole.words
            guard parts.count > 1, let last = parts.last, Self.isZone(last) else {
                calendar = try SystemdCalendar(whole)
                return
            }
            zone = last.text.uppercased() == "UTC" ? "UTC" : last.text
            zonePlace = last.place
            calendar = try SystemdCalendar(
                ExpressionPart(characters: whole.characters[..<last.characters.startIndex]))
        }

        /// A zone contains a letter; so do weekdays, but they come first.
        private static func isZone(_ part: ExpressionPart) -> Bool {
            (part.first?.isLetter ?? false)
                && !part.characters.contains { $0 == ":" || $0 == "." || $0 == "," || $0 == "~" }
        }
    }
}
