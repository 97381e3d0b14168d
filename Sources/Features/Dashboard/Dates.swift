// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// How dates look on a page: pure, since the zone's offset is asked for and not looked up.
package struct Dates: Sendable {
    /// Milliseconds since 1970 of the moment the page is made.
    package var now: Int64
    /// Seconds east of Greenwich at a date.
    private let offset: @Sendable (Int64) -> Int

    package init(now: Int64, offset: @escaping @Sendable (Int64) -> Int) {
        self.now = now
        self.offset = offset
    }

    /// `2026-11-21 07:45:01`
    func full(_ date: Int64) -> String {
        let parts = parts(date)
        return "\(parts.year)-\(two(parts.month))-\(two(parts.day)) \(clock(date))"
    }

    /// `07:45:01`
    func clock(_ date: Int64) -> String {
        let parts = parts(date)
        return
            "\(two(parts.second / 3_600)):\(two(parts.second / 60 % 60)):\(two(parts.second % 60))"
    }

    /// `07:45`
    func minute(_ date: Int64) -> String { String(clock(date).prefix(5)) }

    /// `Sat 21`
    func day(_ date: Int64) -> String {
        let parts = parts(date)
        let names = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        return "\(names[((parts.days % 7) + 7) % 7]) \(parts.day)"
    }

    /// Seconds since local midnight.
    func secondOfDay(_ date: Int64) -> Int { parts(date).second }

    /// Days since 1970 in this zone.
    func dayNumber(_ date: Int64) -> Int { parts(date).days }

    /// How long ago, or in how long: `3m ago`, `in 2h`; the pointer shows the date.
    func relative(_ date: Int64) -> HTML {
        let distance = now.saturatingSubtracting(date)
        let length = Interval.milliseconds(Int64(clamping: distance.magnitude)).brief
        let text =
            distance.magnitude < 1_000
            ? "now" : distance > 0 ? "\(length) ago" : "in \(length)"
        return "<time title=\"\(full(date))\">\(text)</time>"
    }

    /// A length of milliseconds.
    static func length(_ milliseconds: Int64) -> String {
        milliseconds < 1_000
            ? "\(milliseconds) ms" : Interval.milliseconds(milliseconds).brief
    }

    private func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    private func parts(_ date: Int64) -> (year: Int, month: Int, day: Int, second: Int, days: Int) {
        let seconds = Int((date / 1_000).advanced(by: offset(date)))
        let second = ((seconds % 86_400) + 86_400) % 86_400
        let days = (seconds - second) / 86_400
        // The civil date of a day number, after Howard Hinnant: years begin in March.
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        return (
            yearOfEra + era * 400 + (month < 10 ? 0 : 1), month < 10 ? month + 3 : month - 9,
            dayOfYear - (153 * month + 2) / 5 + 1, second, days
        )
    }
}
