// SPDX-License-Identifier: Apache-2.0

/// The calendar date for which a task waits.
extension TaskDeclaration {
    /// A clock that is set back by at most this time does not repeat past launches (cronie).
    private static let repetitionLimit = Interval.hours(3)

    /// Whether its requests stand for dates of its schedule: those of a calendar, or the ends of periods.
    var waitsForOccurrences: Bool {
        switch schedule {
        case .calendar: true
        case .every(_, let flex): flex > .zero
        case nil: false
        }
    }

    /// The occurrence after a launch, in the past if it must be made up for; nil after the last one.
    ///
    /// One launch stands for all occurrences before it, except with `catch_up: all`, where each follows the one before.
    func nextOccurrence(
        of calendar: CalendarSchedule, afterLaunch launched: WallTime, occurrence: WallTime?,
        now: WallTime, limit: Int
    ) -> WallTime? {
        var base = Self.reference(launched, now: now)
        if catchUp == .all, let occurrence { base = min(occurrence, base) }
        return nextOccurrence(of: calendar, after: base, now: now, limit: limit)
    }

    /// The first occurrence after `base` that is not too late at `now`.
    func nextOccurrence(
        of calendar: CalendarSchedule, after base: WallTime, now: WallTime, limit: Int
    ) -> WallTime? {
        var base = base
        if let startDeadline { base = max(base, now.advanced(by: startDeadline.negated)) }
        switch catchUp {
        case .one:
            break
        case .none:
            base = max(base, WallTime(milliseconds: now.milliseconds.saturatingSubtracting(1)))
        case .all:
            base = calendar.start(of: limit, after: base, until: now)
        }
        return calendar.next(after: base)
    }

    /// When an occurrence that was not launched is given up; nil: never. With `catch_up: none`, at the latest when the
    /// next occurrence after its launch date comes.
    ///
    /// - Parameter date: The date of the occurrence with its jitter.
    func expiry(of occurrence: WallTime, date: WallTime) -> WallTime? {
        guard let calendar = schedule?.calendar else { return nil }
        let deadline = startDeadline.map { date.advanced(by: $0) }
        let latest = max(occurrence, date)
        guard catchUp == .none, let following = calendar.next(after: latest) else {
            return deadline
        }
        return min(deadline ?? following, following)
    }

    /// The date after which a repeated occurrence counts when the clock is set back.
    func repetitionStart(lastLaunch: WallTime?, now: WallTime) -> WallTime {
        max(lastLaunch.map { Self.reference($0, now: now) } ?? now, now)
    }

    private static func reference(_ launched: WallTime, now: WallTime) -> WallTime {
        launched > now.advanced(by: repetitionLimit) ? now : launched
    }
}

extension CalendarSchedule {
    /// A date at or after `base` with at most `limit` occurrences between it and `now`.
    fileprivate func start(of limit: Int, after base: WallTime, until now: WallTime) -> WallTime {
        guard hasMore(than: limit, after: base, until: now) else { return base }
        // Clocks before 1970 are not trusted, so dates before 1970 are not searched.
        var low = max(0, base.milliseconds)
        var high = now.milliseconds
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if hasMore(than: limit, after: WallTime(milliseconds: middle), until: now) {
                low = middle
            } else {
                high = middle
            }
        }
        return WallTime(milliseconds: high)
    }

    private func hasMore(than limit: Int, after base: WallTime, until now: WallTime) -> Bool {
        var date = base
        for _ in 0...limit {
            guard let next = next(after: date), next <= now else { return false }
            date = next
        }
        return true
    }
}
