// SPDX-License-Identifier: Apache-2.0

/// The dates of HTTP headers, in the three forms that a recipient must accept (RFC 9110, 5.6.7).
enum HTTPDate {
    /// Nil if it is invalid.
    static func parse(_ text: String) -> WallTime? {
        // Sun, 06 Nov 1994 08:49:37 GMT | Sunday, 06-Nov-94 08:49:37 GMT | Sun Nov  6 08:49:37 1994
        let words = text.split { $0 == " " || $0 == "-" || $0 == "," }
        guard words.count >= 5 else { return nil }
        let isC = months[words[1].lowercased()] != nil
        let parts =
            isC
            ? (words[2], words[1], words[4], words[3]) : (words[1], words[2], words[3], words[4])
        guard let day = Int64(parts.0), let month = months[parts.1.lowercased()],
            var year = Int64(parts.2), let second = secondOfDay(parts.3),
            (1...31).contains(day), (0...9999).contains(year)
        else { return nil }
        // Two digits: RFC 850; today's servers mean this century.
        if parts.2.count == 2 { year += year < 70 ? 2_000 : 1_900 }
        let midnight = CivilTime(year: year, month: month, day: day)
        return WallTime(milliseconds: (midnight.seconds + second) * 1_000)
    }

    private static func secondOfDay(_ text: Substring) -> Int64? {
        let numbers = text.split(separator: ":").map { Int64($0) ?? -1 }
        guard numbers.count == 3, (0...23).contains(numbers[0]), (0...59).contains(numbers[1]),
            (0...60).contains(numbers[2])
        else { return nil }
        return numbers[0] * 3_600 + numbers[1] * 60 + numbers[2]
    }

    private static let months: [String: Int64] = [
        "jan": 1, "feb": 2, "mar": 3, "apr": 4, "may": 5, "jun": 6, "jul": 7, "aug": 8, "sep": 9,
        "oct": 10, "nov": 11, "dec": 12,
    ]
}
