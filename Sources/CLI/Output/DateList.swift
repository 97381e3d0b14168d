// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy

/// The next dates of a calendar.
struct DateList {
    private let schedule: CalendarSchedule
    private let dates: [CalendarSchedule.Occurrence]

    init(_ schedule: CalendarSchedule, after start: WallTime, count: Int) {
        self.schedule = schedule
        var dates: [CalendarSchedule.Occurrence] = []
        var last = start
        while dates.count < count, let next = schedule.occurrence(after: last) {
            dates.append(next)
            last = next.date
        }
        self.dates = dates
    }

    /// The dates for programs.
    var json: [JSONValue] {
        dates.map { occurrence in
            let zone = schedule.entries[occurrence.entry].zone
            return .members([
                // In the zone, with its offset: RFC 3339.
                "date": .string(Self.local(occurrence.date, in: zone, separator: "T")),
                // Since 1970.
                "milliseconds": .integer(occurrence.date.milliseconds), "zone": .string(zone.name),
                // The local time that the clocks skip; omitted for a date that is not moved.
                "skipped": (occurrence.skipped?.text).map(JSONValue.string),
            ])
        }
    }

    /// One line per date below the expression.
    ///
    /// - Parameter end: The event that ends the schedule's rest; nil: it does not rest.
    func text(named name: String?, restsUntil end: String? = nil) -> String {
        var lines = [(name.map { "\($0): " } ?? "") + schedule.text]
        if let end { lines.append(Self.rest(until: end)) }
        for occurrence in dates {
            let zone = schedule.entries[occurrence.entry].zone
            let second = CivilTime.floorDivide(occurrence.date.milliseconds, 1_000)
            let weekday = zone.civil(at: second).weekday.shortName
            let moved = occurrence.skipped.map {
                " (moved: clocks show no \($0.timeOfDay) that day)"
            }
            lines.append(
                "  \(weekday) \(Self.local(occurrence.date, in: zone, separator: " ")) "
                    + zone.name + (moved ?? ""))
        }
        if dates.isEmpty { lines.append("  never") }
        return lines.joined(separator: "\n")
    }

    /// The line of a schedule that waits for `end`.
    static func rest(until end: String) -> String {
        "  at rest (no pending request): continues when \(end)"
    }

    /// `2026-03-29 03:00:00+02:00`, with a nonzero fraction of a second.
    private static func local(_ date: WallTime, in zone: ZoneRules, separator: String) -> String {
        let second = CivilTime.floorDivide(date.milliseconds, 1_000)
        let civil = zone.civil(at: second)
        let fraction = date.milliseconds - second * 1_000  // fits: the rest of a division
        let padded = String(String(fraction + 1_000).dropFirst())
        let offset = zone.offset(at: second)
        let minutes = abs(offset) / 60
        return civil.dateText + separator + civil.clock + (fraction == 0 ? "" : "." + padded)
            + "\(offset < 0 ? "-" : "+")\((minutes / 60).digits(2)):\((minutes % 60).digits(2))"
    }
}
