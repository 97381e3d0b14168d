// SPDX-License-Identifier: Apache-2.0

/// When a task is launched again and again.
package enum Schedule: Hashable, Sendable {
    /// At this distance from launch to launch. With `flex` the periods follow each other whenever in
    /// them it was launched, which may be so much before they are over (Android: flex).
    case every(Interval, flex: Interval = .zero)
    case calendar(CalendarSchedule)

    /// The length of a period; nil for a calendar.
    package var period: Interval? {
        if case .every(let period, _) = self { period } else { nil }
    }

    package var calendar: CalendarSchedule? {
        if case .calendar(let calendar) = self { calendar } else { nil }
    }
}
