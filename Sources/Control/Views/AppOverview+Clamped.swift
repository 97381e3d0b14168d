// SPDX-License-Identifier: Apache-2.0

extension AppOverview {
    /// The same with every number clamped to a range without overflow: an overview may come from
    /// another user's process. Dates are between 1970 and the year 9999.
    package var clamped: AppOverview {
        var copy = self
        copy.at = Self.date(at)
        copy.pendingCount = min(max(0, pendingCount), Int(Self.most))
        copy.host?.since = host?.since.map(Self.date)
        copy.host?.waitsForStoreSince = host?.waitsForStoreSince.map(Self.date)
        for index in copy.running.indices { copy.running[index].clamp() }
        for index in copy.pending.indices { copy.pending[index].clamp() }
        for index in (copy.transfers ?? []).indices { copy.transfers?[index].clamp() }
        for index in copy.budgets.indices {
            copy.budgets[index].used = Self.number(copy.budgets[index].used)
            copy.budgets[index].limit = Self.number(copy.budgets[index].limit)
        }
        for index in copy.recent.indices {
            copy.recent[index].ended = Self.date(copy.recent[index].ended)
            copy.recent[index].ran = copy.recent[index].ran.map(Self.number)
        }
        return copy
    }

    /// The upper bound of every number: 100 times this value does not overflow.
    fileprivate static let most: Int64 = 1 << 53

    fileprivate static func number(_ value: Int64) -> Int64 { min(max(0, value), most) }

    fileprivate static func date(_ value: Int64) -> Int64 {
        min(max(0, value), 253_402_300_799_999)
    }
}

extension AppOverview.Running {
    fileprivate mutating func clamp() {
        launched = AppOverview.date(launched)
        until = until.map(AppOverview.date)
        completed = AppOverview.number(completed)
        total = AppOverview.number(total)
    }
}

extension AppOverview.Pending {
    fileprivate mutating func clamp() {
        submitted = AppOverview.date(submitted)
        earliest = earliest.map(AppOverview.date)
        next = next.map(AppOverview.date)
        failures = min(max(0, failures), 1 << 31)
    }
}

extension AppOverview.Transfer {
    fileprivate mutating func clamp() {
        bytes = AppOverview.number(bytes)
        total = total.map(AppOverview.number)
        rate = rate.map(AppOverview.number)
    }
}
