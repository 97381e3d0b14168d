// SPDX-License-Identifier: Apache-2.0

/// Reads dates and times of day in the format of scenarios and commands.
package enum ClockText {
    /// `07:30`, `07:30:15`: seconds after midnight.
    package static func timeOfDay(_ text: String) -> Int64? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2 || parts.count == 3 else { return nil }
        let numbers = parts.compactMap { number($0, digits: 2) }
        guard numbers.count == parts.count, numbers[0] < 24,
            numbers.dropFirst().allSatisfy({ $0 < 60 })
        else { return nil }
        return numbers[0] * 3_600 + numbers[1] * 60 + (numbers.count == 3 ? numbers[2] : 0)
    }

    /// A number without a sign.
    private static func number(_ text: Substring, digits: Int) -> Int64? {
        text.count == digits && text.allSatisfy { ("0"..."9").contains($0) } ? Int64(text) : nil
    }

    /// Whether it begins with digits and dashes like a date, even an invalid one.
    package static func looksLikeDate(_ text: String) -> Bool {
        let parts = text.prefix { $0 != " " && $0 != "T" }.split(
            separator: "-", omittingEmptySubsequences: false)
        return parts.map(\.count) == [4, 2, 2]
            && parts.allSatisfy { $0.allSatisfy { ("0"..."9").contains($0) } }
    }

    /// `2026-03-02 06:00`, `2026-03-02T06:00`, `2026-03-02`.
    package static func dateAndTime(
        _ text: String, years: ClosedRange<Int64> = 1970...9_000
    ) -> CivilTime? {
        let parts = text.split(maxSplits: 1) { $0 == " " || $0 == "T" }
        let date = (parts.first ?? "").split(separator: "-", omittingEmptySubsequences: false)
        guard date.count == 3, let year = number(date[0], digits: 4),
            let month = number(date[1], digits: 2), let day = number(date[2], digits: 2),
            years.contains(year), (1...12).contains(month), day >= 1,
            day <= CivilTime.daysIn(month: month, of: year)
        else { return nil }
        var civil = CivilTime(year: year, month: month, day: day)
        if parts.count == 2 {
            guard let second = timeOfDay(String(parts[1])) else { return nil }
            civil.seconds += second
        }
        return civil
    }
}
