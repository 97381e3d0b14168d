// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// Formats dates for a page. Pure: the caller provides the offset of the zone.
package struct Dates: Sendable {
    /// The time when the page is made.
    package var now: WallTime
    /// Seconds east of Greenwich at a date.
    private let offset: @Sendable (WallTime) -> Int

    package init(now: WallTime, offset: @escaping @Sendable (WallTime) -> Int) {
        self.now = now
        self.offset = offset
    }

    /// `2026-11-21 07:45:01`
    func full(_ date: WallTime) -> String { "\(civil(date).dateText) \(clock(date))" }

    /// `07:45:01`
    func clock(_ date: WallTime) -> String { civil(date).clock }

    /// `07:45`
    func minute(_ date: WallTime) -> String { String(clock(date).prefix(5)) }

    /// `Sat 21`
    func day(_ date: WallTime) -> String {
        let time = civil(date)
        return "\(time.weekday.shortName) \(time.date.day)"
    }

    /// Seconds since local midnight.
    func secondOfDay(_ date: WallTime) -> Int64 { civil(date).secondOfDay }

    /// Days since 1970 in this zone.
    func dayNumber(_ date: WallTime) -> Int64 { civil(date).day }

    /// How long ago, or in how long: `3m ago`, `in 2h`; the pointer shows the date.
    func relative(_ date: WallTime) -> HTML {
        let distance = now.milliseconds(since: date)
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
    private func civil(_ date: WallTime) -> CivilTime {
        CivilTime(seconds: (date.milliseconds / 1_000).advanced(by: offset(date)))
    }
}
