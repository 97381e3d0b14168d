// SPDX-License-Identifier: Apache-2.0

extension AppOverview {
    /// The same with every number clamped to a range without overflow: an overview may come from
    /// another user's process. Dates are between 1970 and the year 9999.
    package var clamped: AppOverview {
        var copy = self
        copy.at = ReportLimits.date(at)
        copy.pendingCount = Int(clamping: ReportLimits.length(Int64(clamping: pendingCount)))
        copy.host?.since = host?.since.map(ReportLimits.date)
        copy.host?.waitsForStoreSince = host?.waitsForStoreSince.map(ReportLimits.date)
        for index in copy.running.indices { copy.running[index].clamp() }
        for index in copy.pending.indices { copy.pending[index].clamp() }
        for index in (copy.transfers ?? []).indices { copy.transfers?[index].clamp() }
        for index in copy.budgets.indices {
            copy.budgets[index].used = ReportLimits.length(copy.budgets[index].used)
            copy.budgets[index].limit = ReportLimits.length(copy.budgets[index].limit)
        }
        for index in copy.recent.indices {
            copy.recent[index].ended = ReportLimits.date(copy.recent[index].ended)
            copy.recent[index].ran = copy.recent[index].ran.map(ReportLimits.length)
        }
        return copy
    }
}

extension AppOverview.Running {
    fileprivate mutating func clamp() {
        launched = ReportLimits.date(launched)
        until = until.map(ReportLimits.date)
        completed = ReportLimits.length(completed)
        total = ReportLimits.length(total)
    }
}

extension AppOverview.Pending {
    fileprivate mutating func clamp() {
        submitted = ReportLimits.date(submitted)
        earliest = earliest.map(ReportLimits.date)
        next = next.map(ReportLimits.date)
        failures = ReportLimits.count(failures)
    }
}

extension AppOverview.Transfer {
    fileprivate mutating func clamp() {
        bytes = ReportLimits.length(bytes)
        total = total.map(ReportLimits.length)
        rate = rate.map(ReportLimits.length)
    }
}
