// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// Formats dates for a page. Pure: the caller provides the offset of the zone.
package struct Dates: Sendable {
    /// The time when the page is made, in milliseconds since 1970.
    package var now: Int64
    /// Seconds east of Greenwich at a date.
    private let offset: @Sendable (Int64) -> Int

    package init(now: Int64, offset: @escaping @Sendable (Int64) -> Int) {
        self.now = now
        self.offset = offset
    }

    /// `2026-11-21 07:45:01`
    func full(_ date: Int64) -> String { "\(civil(date).dateText) \(clock(date))" }

    /// `07:45:01`
    func clock(_ date: Int64) -> String { civil(date).clock }

    /// `07:45`
    func minute(_ date: Int64) -> String { String(clock(date).prefix(5)) }

    /// `Sat 21`
    func day(_ date: Int64) -> String {
        let time = civil(date)
        return "\(time.weekday.shortName) \(time.date.day)"
    }

    /// Seconds since local midnight.
    func secondOfDay(_ date: Int64) -> Int64 { civil(date).secondOfDay }

    /// Days since 1970 in this zone.
    func dayNumber(_ date: Int64) -> Int64 { civil(date).day }

    /// How long ago, or in how long: `3m ago`, `in 2h`; the pointer shows the date.
    func relative(_ date: Int64) -> HTML {
        let distance = now.saturatingSubtracting(date)
        let length = Interval.milliseconds(Int64(clamping: distance.magnitude)).brief
        let text =
            distance.magnitude < 1_000
            ? "now" : distance > 0 ? "\(length) ago" : "in \(length)"
        return "<time title=\"\(full(date))\">\(text)</time>"
    }

    /// A length given in milliseconds.
    static func length(_ milliseconds: Int64) -> String {
        milliseconds < 1_000
            ? "\(milliseconds) ms" : Interval.milliseconds(milliseconds).brief
    }

    /// The local time of the zone at `date`.
    private func civil(_ date: Int64) -> CivilTime {
        CivilTime(seconds: (date / 1_000).advanced(by: offset(date)))
    }
}
