// SPDX-License-Identifier: Apache-2.0

/// The checked fields of a cron expression: minute, hour, day of the month, month, day of the week, and optionally
/// seconds before them.
struct CronFields: Equatable {
    /// "0" in an expression of five fields.
    var second: String
    var minute: String
    var hour: String
    var day: String
    var month: String
    var weekday: String

    /// The meaning of the words; `@reboot` is not a date.
    static let words = [
        "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *", "@monthly": "0 0 1 * *",
        "@weekly": "0 0 * * 0", "@daily": "0 0 * * *", "@midnight": "0 0 * * *",
        "@hourly": "0 * * * *", "@every_minute": "* * * * *",
    ]

    /// Nil if a field is not valid for cron.
    init?(_ text: String) {
        var fields = (Self.words[text.lowercased()] ?? text).words
        if fields.count == 5 { fields.insert("0", at: 0) }
        guard fields.count == 6 else { return nil }
        for (field, unit) in zip(fields, Unit.all) where !unit.accepts(field) { return nil }
        second = fields[0]
        minute = fields[1]
        hour = fields[2]
        day = fields[3]
        month = fields[4]
        weekday = fields[5]
        guard comes else { return nil }
    }

    /// Whether at least one of its months has one of its days.
    private var comes: Bool {
        if isSpread || hasEitherDay { return true }
        let lengths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        let longest = Self.numbers(month, .month).map { lengths[$0 - 1] }.max() ?? 0
        return Self.numbers(day, Unit.all[3]).contains { $0 <= longest }
    }

    /// Five fields, or six with seconds.
    var text: String {
        let five = [minute, hour, day, month, weekday]
        return (second == "0" ? five : [second] + five).joined(separator: " ")
    }

    /// Whether cron takes either day: both are restricted, and neither begins with `*`.
    var hasEitherDay: Bool { !day.hasPrefix("*") && !weekday.hasPrefix("*") }

    /// Whether it contains a random part: `H`, or a range with `~`.
    var isSpread: Bool {
        [second, minute, hour, day, month, weekday].contains { field in
            field.contains("~") || field.contains("H")
        }
    }

    struct Unit {
        var low: Int
        var high: Int
        var names: [String] = []

        static let months = [
            "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
        ]
        static let weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
        static let minutes = Unit(low: 0, high: 59)
        static let month = Unit(low: 1, high: 12, names: months)
        static let weekday = Unit(low: 0, high: 7, names: weekdays)
        static let all = [
            minutes, minutes, Unit(low: 0, high: 23), Unit(low: 1, high: 31), month, weekday,
        ]

        func number(_ text: some StringProtocol) -> Int? {
            if let index = names.firstIndex(of: text.lowercased()) { return index + low }
            guard !text.isEmpty, text.allSatisfy({ ("0"..."9").contains($0) }),
                let number = Int(text), (low...high).contains(number)
            else { return nil }
            return number
        }

        func accepts(_ field: String) -> Bool {
            let parts = field.split(separator: ",", omittingEmptySubsequences: false)
            return parts.allSatisfy { part in
                let halves = part.split(separator: "/", omittingEmptySubsequences: false)
                guard let range = halves.first, halves.count <= 2 else { return false }
                guard halves.count > 1 else { return isRange(range) || number(range) != nil }
                // A step needs a range, and a random part is one value.
                return (Int(halves[1]) ?? 0) > 0 && isRange(range) && !range.contains("~")
            }
        }

        /// Both ends of `a-b`; a week may end on Sunday. Nil if it is not a range.
        func ends(_ range: some StringProtocol) -> (low: Int, high: Int)? {
            if range == "*" { return (low, high) }
            let ends = range.split(separator: "-", omittingEmptySubsequences: false)
            let numbers = ends.compactMap { number($0) }
            guard ends.count == 2, numbers.count == 2 else { return nil }
            let last = numbers[1] == 0 && high == 7 && numbers[0] > 0 ? 7 : numbers[1]
            return numbers[0] <= last ? (numbers[0], last) : nil
        }

        /// Both ends of `H`, `H(a-b)` or `a~b`. Nil if it is not a random part.
        /// - Parameter last: The end of a range that does not state one, unless it begins later; default: `high`.
        func spread(_ range: Substring, last: Int? = nil) -> (low: Int, high: Int)? {
            let last = last ?? high
            if range == "H" { return (low, last) }
            if range.hasPrefix("H("), range.hasSuffix(")") {
                return ends(range.dropFirst(2).dropLast())
            }
            guard let tilde = range.firstIndex(of: "~") else { return nil }
            let (first, second) = (range[..<tilde], range[range.index(after: tilde)...])
            guard let begin = first.isEmpty ? low : number(first) else { return nil }
            return second.isEmpty
                ? (begin, max(begin, last)) : ends("\(begin)-\(second)")
        }

        private func isRange(_ range: Substring) -> Bool {
            ends(range) != nil || spread(range) != nil
        }
    }
}
