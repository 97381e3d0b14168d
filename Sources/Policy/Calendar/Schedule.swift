// SPDX-License-Identifier: Apache-2.0

/// When a task is launched repeatedly.
package enum Schedule: Hashable, Sendable {
    /// At this interval between launches. With `flex`, periods follow each other regardless of when the task ran in
    /// them; a launch may come up to `flex` before the end of its period (Android: flex).
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
