// SPDX-License-Identifier: Apache-2.0

/// When in the week a person uses the app: how often in each hour of the week, in UTC, hour 0 being
/// Monday 00:00 to 01:00. A use in an earlier week weighs half of one in the week after it.
public struct UsageModel: Hashable, Sendable {
    /// What one use adds; a power of two, so that halving is exact for some weeks.
    static let weight = 256

    /// The uses of one hour of the week, as of the last week in which there was one.
    public struct Uses: Hashable, Sendable {
        /// At most two uses' weight: each week adds one and halves what was there.
        var weight: Int
        /// Weeks since the first Monday of 1970.
        var week: Int

        /// What is left of it in `week`, before this week's own use. The week after the last use is the
        /// first in which there might have been one more.
        func weight(in week: Int) -> Int {
            let missed = week.subtractingReportingOverflow(self.week)
            return weight >> min(62, max(0, missed.overflow ? 62 : missed.partialValue - 1))
        }
    }

    /// One for each hour of the week in which there ever was a use.
    public var hours = [Uses?](repeating: nil, count: 168)

    public init() {}

    /// The app was opened at `date`. Several uses in one hour count as one.
    public mutating func noteUse(at date: WallTime) {
        let hour = Self.hoursSinceMonday(date)
        let week = Self.week(ofHour: hour)
        let index = Self.index(ofHour: hour)
        guard let before = hours[index] else {
            hours[index] = Uses(weight: Self.weight, week: week)
            return
        }
        guard before.week < week else { return }
        hours[index] = Uses(weight: before.weight(in: week) / 2 + Self.weight, week: week)
    }

    /// The clock was set back to `now`: nothing was used after this week.
    mutating func clamp(to now: WallTime) {
        let week = Self.week(ofHour: Self.hoursSinceMonday(now))
        hours = hours.map { uses in
            uses.map { Uses(weight: $0.weight, week: min($0.week, week)) }
        }
    }

    /// The beginning of the next hour, at or after that of `date`, in which the app is probably used:
    /// used at least half as often as in the busiest hour. Nil before so many uses are known.
    public func nextUse(after date: WallTime, minimum: Int) -> WallTime? {
        let first = Self.hoursSinceMonday(date)
        let week = Self.week(ofHour: first)
        let weights = hours.map { $0?.weight(in: week) ?? 0 }
        guard let busiest = weights.max(), busiest > 0,
            weights.reduce(0, +) >= min(minimum, 1 << 40) * Self.weight
        else { return nil }
        for offset in 0...Int64(hours.count) {
            let hour = first.saturatingAdding(offset)
            let uses = hours[Self.index(ofHour: hour)]?.weight(in: Self.week(ofHour: hour)) ?? 0
            guard uses * 2 >= busiest else { continue }
            let start = hour.saturatingSubtracting(Self.mondayOffset)
            return WallTime(milliseconds: start.saturatingMultiplied(by: Self.hourLength))
        }
        return nil
    }

    /// 1970-01-01 was a Thursday: that many hours after a Monday.
    private static let mondayOffset: Int64 = 72
    private static let hourLength: Int64 = 3_600_000

    private static func hoursSinceMonday(_ date: WallTime) -> Int64 {
        date.milliseconds.quotientFloor(hourLength) + mondayOffset
    }

    private static func week(ofHour hour: Int64) -> Int { Int(hour.quotientFloor(168)) }

    private static func index(ofHour hour: Int64) -> Int {
        Int(hour - hour.quotientFloor(168) * 168)
    }
}

extension UsageModel.Uses {
    /// One number for the store: the week, and the weight in the last 16 bits.
    public var stored: Int64 { Int64(week) << 16 | Int64(min(weight, 0xFFFF)) }

    public init(stored value: Int64) {
        self.init(weight: Int(value & 0xFFFF), week: Int(value >> 16))
    }
}

extension AppFacts {
    /// Apple: refreshes come before the time the app is predicted to be used. The date a refresh is put
    /// off to; nil when nothing is predicted soon enough. One of a periodic task is put off by half its
    /// interval at most (XPC activity: the grace period is half the interval), one of a calendar, which a
    /// person wrote, not at all.
    func placement(of request: TaskRequest, _ schedule: Schedule?, policy: Policy) -> WallTime? {
        guard request.kind == .appRefresh, schedule?.calendar == nil else { return nil }
        let longest = schedule?.period.map {
            min(policy.usageHorizon, Interval(nanoseconds: $0.nanoseconds / 2))
        }
        return refreshPlacement(
            from: request.earliest ?? request.submitted, within: longest ?? policy.usageHorizon,
            policy: policy)
    }

    /// Not before this date, for a request that may run from `earliest` on.
    private func refreshPlacement(
        from earliest: WallTime, within longest: Interval, policy: Policy
    ) -> WallTime? {
        guard longest > .zero,
            let use = usage.nextUse(
                after: earliest.advanced(by: policy.usageLead), minimum: policy.usageMinimum)
        else { return nil }
        let placed = WallTime(
            milliseconds: use.milliseconds.saturatingSubtracting(
                policy.usageLead.milliseconds))
        return placed > earliest && placed <= earliest.advanced(by: longest) ? placed : nil
    }
}

extension Int64 {
    /// The quotient rounded down, also below zero.
    fileprivate func quotientFloor(_ divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
