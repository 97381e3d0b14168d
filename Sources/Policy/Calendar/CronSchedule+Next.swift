// SPDX-License-Identifier: Apache-2.0

/// cronie's rules for clocks that are set forward or back (cron(8)). A change of up to three hours is daylight saving:
/// a skipped time of day comes right after the gap, and a repeated one counts once. Jobs that follow the clock run
/// whenever it shows a match; after a larger change all jobs do.
extension CronSchedule {
    private static let savingLimit: Int64 = 3 * 3_600

    /// The first occurrence at or after `start`, in seconds since 1970 (UTC), in `zone`.
    func occurrence(from start: Int64, in zone: ZoneRules) -> (second: Int64, asked: CivilTime)? {
        var time = start
        // Two changes a year, for as long as a match can be away.
        for _ in 0..<200 {
            let stretch = zone.stretch(at: time)
            var civil = ZoneRules.civil(at: time, offset: stretch.offset)
            if !followsClock, let begin = stretch.start {
                let before = zone.offset(at: begin.saturatingSubtracting(1))
                let shift = stretch.offset.saturatingSubtracting(before)
                let shown = ZoneRules.civil(at: begin, offset: before)
                if time == begin, shift > 0, shift <= Self.savingLimit,
                    let skipped = match(from: shown),
                    skipped < ZoneRules.civil(at: begin, offset: stretch.offset)
                {
                    return (begin, skipped)
                }
                if shift < 0, shift >= -Self.savingLimit { civil = max(civil, shown) }
            }
            guard let found = match(from: civil) else { return nil }
            let second = found.seconds.saturatingSubtracting(stretch.offset)
            guard let end = stretch.end, second >= end else { return (second, found) }
            time = end
        }
        return nil
    }
}
