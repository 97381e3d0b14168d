// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// Limits for values from another user's process, so that sums, shares and drawings do not overflow.
enum ReportLimits {
    static func count(_ value: Int) -> Int { min(max(0, value), 1 << 31) }
    static func length(_ value: Int64) -> Int64 { min(max(0, value), 1 << 53) }
    /// Between 1970 and the year 9999.
    static func date(_ value: WallTime) -> WallTime {
        min(max(.epoch, value), WallTime(milliseconds: 253_402_300_799_999))
    }
    /// 0 to 1; 0 for NaN.
    static func share(_ value: Double) -> Double { value >= 0 ? min(value, 1) : 0 }
}

extension SpanReport {
    /// The same with every number clamped to a range without overflow.
    package var clamped: SpanReport {
        var copy = self
        copy.since = ReportLimits.date(since)
        copy.until = ReportLimits.date(until)
        copy.journalBegins = journalBegins.map(ReportLimits.date)
        for index in copy.tasks.indices { copy.tasks[index].clamp() }
        return copy
    }
}

extension TaskReport {
    fileprivate mutating func clamp() {
        for field in [
            \TaskReport.runs, \.completed, \.failed, \.expired, \.crashed, \.exited, \.refused,
            \.interrupted, \.failuresInARow,
        ] {
            self[keyPath: field] = ReportLimits.count(self[keyPath: field])
        }
        limited = limited.map(ReportLimits.count)
        for index in expiredBy.indices { expiredBy[index].clamp() }
        for index in (fetched ?? []).indices { fetched?[index].clamp() }
        for index in blockers.indices {
            blockers[index].milliseconds = ReportLimits.length(blockers[index].milliseconds)
        }
        success = success.map(ReportLimits.share)
        delay?.clamp()
        runTime?.clamp()
        processorTime?.clamp()
        if let promise {
            self.promise = Promise(
                expected: ReportLimits.count(promise.expected),
                kept: ReportLimits.count(promise.kept))
        }
        if let missed {
            self.missed = Missed(
                count: ReportLimits.count(missed.count), last: ReportLimits.date(missed.last))
        }
        lastEnded = lastEnded.map(ReportLimits.date)
        if let pending {
            self.pending?.submitted = ReportLimits.date(pending.submitted)
            self.pending?.due = ReportLimits.date(pending.due)
        }
    }
}

extension TaskReport.Count {
    fileprivate mutating func clamp() { count = ReportLimits.count(count) }
}

extension Distribution {
    fileprivate mutating func clamp() {
        count = ReportLimits.count(count)
        for field in [\Distribution.p50, \.p95, \.max, \.sum] {
            self[keyPath: field] = ReportLimits.length(self[keyPath: field])
        }
    }
}

extension Timeline {
    /// The same with every date within the years 1970 to 9999, limited to the last 32 days, more than a page
    /// shows.
    package var clamped: Timeline {
        var copy = self
        copy.until = ReportLimits.date(until)
        copy.since = max(
            min(ReportLimits.date(since), copy.until), copy.until.advanced(by: .days(-32)))
        copy.journalBegins = journalBegins.map(ReportLimits.date)
        func clamp<Item>(
            _ items: inout [Item], _ from: WritableKeyPath<Item, WallTime>,
            _ to: WritableKeyPath<Item, WallTime>
        ) {
            for index in items.indices {
                items[index][keyPath: from] = ReportLimits.date(items[index][keyPath: from])
                items[index][keyPath: to] = ReportLimits.date(items[index][keyPath: to])
            }
        }
        for band in copy.bands.indices { clamp(&copy.bands[band].stretches, \.from, \.to) }
        for track in copy.tracks.indices {
            clamp(&copy.tracks[track].attempts, \.from, \.to)
            clamp(&copy.tracks[track].waits, \.from, \.to)
        }
        clamp(&copy.marks, \.at, \.at)
        return copy
    }
}

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
