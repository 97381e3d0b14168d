// SPDX-License-Identifier: Apache-2.0

extension TaskDeclaration {
    /// When a periodic task is due next, after a launch that was due at `due`; nil for one that is not
    /// periodic. A date in the past is a period to make up for.
    ///
    /// At most one period from now: a launch in the future means that the clock was set back since.
    /// `all` reaches back at most `limit` periods.
    public func nextPeriod(
        afterLaunch launched: WallTime, due: WallTime? = nil, now: WallTime, limit: Int = 100
    ) -> WallTime? {
        guard let every else { return nil }
        let next = min(launched, now).advanced(by: every)
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
            return max(oldest, min(due ?? launched, now).advanced(by: every))
        }
    }
}
