// SPDX-License-Identifier: Apache-2.0

extension TaskDeclaration {
    /// The next date of a periodic task after a launch that was due at `due`; nil if the task is not periodic. A date
    /// in the past is a period to make up for; `all` reaches back at most `limit` periods.
    ///
    /// - Parameter occurrence: The date of the launched request before its jitter; nil for none.
    package func nextPeriod(
        afterLaunch launched: WallTime, due: WallTime? = nil, occurrence: WallTime? = nil,
        now: WallTime, limit: Int = 100
    ) -> WallTime? {
        switch schedule {
        case nil:
            return nil
        case .every(let every, .zero):
            return nextPeriod(
                of: every, from: min(launched, now), due: min(occurrence ?? due ?? launched, now),
                now: now, limit: limit)
        case .every(let every, let flex):
            // The periods follow each other, regardless of when in its window the task was launched.
            let opens = occurrence?.advanced(by: flex.negated)
            let isInWindow = opens.map { $0 <= launched } ?? false
            let end = max(launched, isInWindow ? occurrence ?? launched : launched)
            let base = min(end, now.advanced(by: flex))
            return nextPeriod(
                of: every, from: base, due: min(occurrence ?? base, base), now: now, limit: limit)
        case .calendar(let calendar):
            return nextOccurrence(
                of: calendar, afterLaunch: launched, occurrence: occurrence, now: now, limit: limit)
        }
    }

    /// At most one period after `base`, which must not be in the future: a later date means that the clock was set
    /// back.
    private func nextPeriod(
        of every: Interval, from base: WallTime, due: WallTime, now: WallTime, limit: Int
    ) -> WallTime {
        let next = base.advanced(by: every)
        switch catchUp {
        case .one:
            return max(now, next)
        case .none:
            let late = next.interval(until: now).milliseconds
            let period = max(1, every.milliseconds)
            guard late > 0 else { return next }
            let periods = late / period + (late % period == 0 ? 0 : 1)
            return WallTime(
                milliseconds: next.milliseconds.saturatingAdding(
                    periods.saturatingMultiplied(by: period)))
        case .all:
            let oldest = now.advanced(by: every.multiplied(by: -Int64(limit)))
            return max(oldest, due.advanced(by: every))
        }
    }
}
