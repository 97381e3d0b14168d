// SPDX-License-Identifier: Apache-2.0

/// When in the week a person uses the app: how often in each hour of the week, in UTC, hour 0 being
/// Monday 00:00 to 01:00. What is a week older weighs half.
public struct UsageModel: Hashable, Sendable {
    public static let hours = 168
    /// What one use adds; a power of two, so that halving is exact for some weeks.
    static let weight = 256

    /// One weight for each hour of the week.
    public var counts = [Int](repeating: 0, count: hours)
    /// The week since 1970 in which the counts were last halved.
    public var week: Int?

    public init() {}

    /// The app was opened at `date`.
    public mutating func noteUse(at date: WallTime) {
        let hour = Self.hoursSinceMonday(date)
        let current = Int(hour.quotientFloor(Int64(Self.hours)))
        let weeks = max(0, current - (week ?? current))
        if weeks > 0 { counts = counts.map { weeks < 63 ? $0 >> weeks : 0 } }
        week = max(week ?? current, current)
        let index = Self.index(ofHour: hour)
        counts[index] = min(counts[index] + Self.weight, 1 << 40)
    }

    /// The beginning of the next hour, at or after that of `date`, in which the app is probably used:
    /// used at least half as often as in the busiest hour. Nil before `minimum` uses are known.
    public func nextUse(after date: WallTime, minimum: Int) -> WallTime? {
        guard let busiest = counts.max(), busiest > 0,
            counts.reduce(0, +) >= minimum * Self.weight / 2
        else { return nil }
        let first = Self.hoursSinceMonday(date)
        for offset in 0...Int64(Self.hours) {
            let hour = first.saturatingAdding(offset)
            guard counts[Self.index(ofHour: hour)] * 2 >= busiest else { continue }
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

    private static func index(ofHour hour: Int64) -> Int {
        Int(hour - hour.quotientFloor(Int64(hours)) * Int64(hours))
    }
}

extension AppFacts {
    /// Apple: refreshes come before the time the app is predicted to be used. Not before this date, for
    /// a request that may run from `earliest` on; nil when nothing is predicted.
    public func refreshPlacement(from earliest: WallTime, policy: Policy) -> WallTime? {
        guard policy.usageHorizon > .zero,
            let use = usage.nextUse(
                after: earliest.advanced(by: policy.usageLead), minimum: policy.usageMinimum),
            use <= earliest.advanced(by: policy.usageHorizon)
        else { return nil }
        let placed = WallTime(
            milliseconds: use.milliseconds.saturatingSubtracting(
                policy.usageLead.milliseconds))
        return placed > earliest ? placed : nil
    }
}

extension Int64 {
    /// The quotient rounded down, also below zero.
    fileprivate func quotientFloor(_ divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
