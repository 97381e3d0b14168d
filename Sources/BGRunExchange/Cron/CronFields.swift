// SPDX-License-Identifier: Apache-2.0

/// The fields of a cron expression, checked: minute, hour, day of the month, month, day of the week, and
/// perhaps seconds before them.
struct CronFields: Hashable {
    /// "0" in an expression of five fields.
    var second: String
    var minute: String
    var hour: String
    var day: String
    var month: String
    var weekday: String

    /// What the words mean; `@reboot` is no date.
    static let words = [
        "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *", "@monthly": "0 0 1 * *",
        "@weekly": "0 0 * * 0", "@daily": "0 0 * * *", "@midnight": "0 0 * * *",
        "@hourly": "0 * * * *", "@every_minute": "* * * * *",
    ]

    /// nil when a field holds what cron does not take.
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
    }

    /// Five fields, six when there are seconds.
    var text: String {
        let five = [minute, hour, day, month, weekday]
        return (second == "0" ? five : [second] + five).joined(separator: " ")
    }

    /// Whether cron takes either day: both are restricted, and neither begins with `*`.
    var hasEitherDay: Bool { !day.hasPrefix("*") && !weekday.hasPrefix("*") }

    /// Whether something in it is drawn: `H`, or a range with `~`.
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
                let halves = part.split(separator: "/", maxSplits: 1).map(String.init)
                guard let range = halves.first, part.last != "/" else { return false }
                if halves.count > 1 {
                    guard let step = Int(halves[1]), step > 0 else { return false }
                }
                return acceptsRange(range)
            }
        }

        private func acceptsRange(_ range: String) -> Bool {
            if range == "*" || range == "H" { return true }
            if range.hasPrefix("H("), range.hasSuffix(")") {
                return acceptsRange(String(range.dropFirst(2).dropLast()))
            }
            if let tilde = range.firstIndex(of: "~") {
                let ends = [range[..<tilde], range[range.index(after: tilde)...]]
                return ends.allSatisfy { $0.isEmpty || number($0) != nil }
            }
            let ends = range.split(separator: "-", omittingEmptySubsequences: false)
            let numbers = ends.compactMap { number($0) }
            guard numbers.count == ends.count, (1...2).contains(ends.count) else { return false }
            return numbers.count == 1 || numbers[0] <= numbers[1] || !names.isEmpty
        }
    }
}
