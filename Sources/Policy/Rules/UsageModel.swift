// SPDX-License-Identifier: Apache-2.0

/// When in the week a person uses the app: the number of uses in each hour of the week in a time
/// zone, hour 0 being Monday 00:00 to 01:00. The weight of a use halves each week. A use only adds to the
/// prediction, so that an app that is used more is not refreshed less.
package struct UsageModel: Equatable, Sendable {
    /// The weight of one use; a power of two, so that halving is exact for some weeks.
    static let weight = 256

    /// The uses of one hour of the week, as of the last week with a use.
    struct Uses: Equatable, Sendable {
        /// At most the weight of two uses: each week halves it and adds one use.
        var weight: Int
        /// Weeks since the first Monday of 1970.
        var week: Int

        /// The remaining weight in `week`, before this week's own use: it begins to halve after a week without one.
        func weight(in week: Int) -> Int {
            let missed = week.subtractingReportingOverflow(self.week)
            return weight >> min(62, max(0, missed.overflow ? 62 : missed.partialValue - 1))
        }
    }

    /// One for each hour of the week with at least one use.
    var hours = [Uses?](repeating: nil, count: 168)

    init() {}

    /// The app was opened at `date`. Several uses in one hour count as one.
    mutating func noteUse(at date: WallTime, in zone: ZoneRules = .utc) {
        let hour = Self.hour(of: date, zone)
        let week = Self.week(ofHour: hour)
        let index = Self.index(ofHour: hour)
        guard let before = hours[index] else {
            hours[index] = Uses(weight: Self.weight, week: week)
            return
        }
        guard before.week < week else { return }
        hours[index] = Uses(weight: before.weight(in: week) / 2 + Self.weight, week: week)
    }

    /// The clock was set back to `now`: there was no use after this week.
    mutating func clamp(to now: WallTime, in zone: ZoneRules) {
        let week = Self.week(ofHour: Self.hour(of: now, zone))
        hours = hours.map { uses in
            uses.map { Uses(weight: $0.weight, week: min($0.week, week)) }
        }
    }

    /// The start of the next hour, not before the hour of `date`, with a predicted use: the app was used in the same
    /// hour of one of the last two weeks. Nil before `minimum` uses are known.
    func nextUse(
        after date: WallTime, minimum: Int, in zone: ZoneRules = .utc
    ) -> WallTime? {
        let first = Self.hour(of: date, zone)
        let week = Self.week(ofHour: first)
        let known = hours.reduce(0) { $0 + ($1?.weight(in: week) ?? 0) }
        guard known >= min(max(1, minimum), 1 << 40) * Self.weight else { return nil }
        for offset in 0...Int64(hours.count) {
            let hour = first.saturatingAdding(offset)
            let uses = hours[Self.index(ofHour: hour)]?.weight(in: Self.week(ofHour: hour)) ?? 0
            guard uses * 2 >= Self.weight else { continue }
            let civil = CivilTime(
                seconds: hour.saturatingSubtracting(Self.mondayOffset)
                    .saturatingMultiplied(by: Self.hourLength))
            return WallTime(milliseconds: zone.instant(of: civil).saturatingMultiplied(by: 1_000))
        }
        return nil
    }

    /// 1970-01-01 was a Thursday: this many hours after a Monday.
    private static let mondayOffset: Int64 = 72
    /// In seconds.
    private static let hourLength: Int64 = 3_600

    /// Hours since a Monday in the time zone `zone`.
    private static func hour(of date: WallTime, _ zone: ZoneRules) -> Int64 {
        let civil = zone.civil(at: CivilTime.floorDivide(date.milliseconds, 1_000))
        return CivilTime.floorDivide(civil.seconds, hourLength) + mondayOffset
    }

    private static func week(ofHour hour: Int64) -> Int { Int(CivilTime.floorDivide(hour, 168)) }

    private static func index(ofHour hour: Int64) -> Int { Int(CivilTime.modulo(hour, 168)) }
}

extension UsageModel.Uses {
    /// One number for the store: the week, and the weight in the last 16 bits.
    var stored: Int64 { Int64(week) << 16 | Int64(min(weight, 0xFFFF)) }

    init(stored value: Int64) {
        self.init(weight: Int(value & 0xFFFF), week: Int(value >> 16))
    }
}

extension AppFacts {
    /// Whether the use of the app decides when `request` runs, so that its launch counts as a refresh of the app.
    func places(_ request: TaskRequest, _ schedule: Schedule?, policy: Policy) -> Bool {
        request.kind == .appRefresh && policy.usageHorizon > .zero && lastForeground != nil
            && request.failures == 0 && schedule?.calendar == nil
    }

    /// The date a refresh waits for: `usageLead` before the next predicted use of the app, at most `usageHorizon`
    /// after the app's last refresh; nil: none (Apple: refreshes precede use, and are rare for rarely used apps).
    ///
    /// An app that was never opened (a server's job) or refreshed does not wait. Neither does a retry, which belongs to
    /// the same refresh, or a calendar date, which a person wrote.
    func placement(
        of request: TaskRequest, _ schedule: Schedule?, in zone: ZoneRules,
        policy: Policy
    ) -> WallTime? {
        guard places(request, schedule, policy: policy), let last = lastRefresh else { return nil }
        // A missed date that is made up for has passed.
        let earliest = max(request.earliest ?? request.submitted, request.submitted)
        let latest = last.advanced(by: policy.usageHorizon)
        guard latest > earliest else { return nil }
        let lead = policy.usageLead
        let use = usage.nextUse(
            after: earliest.advanced(by: lead), minimum: policy.usageMinimum, in: zone)
        let placed = min(use?.advanced(by: lead.negated) ?? latest, latest)
        return placed > earliest ? placed : nil
    }
}
