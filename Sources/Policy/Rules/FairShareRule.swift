// SPDX-License-Identifier: Apache-2.0

/// Selects the app that gets the next free slot of a machine shared by several apps: the app that has used its slots
/// for the least time, from each grant until the slot was free again.
///
/// Start-time fair queueing (Goyal, Vin and Cheng 1996): an app that returns from a rest begins at the minimum of the
/// others, so that a rest earns no credit.
package struct FairShareRule<App: Hashable & Comparable & Sendable>: Sendable {
    /// The maximum number of running attempts of all apps together.
    let slots: Int
    private let policy: SharePolicy
    private var accounts: [App: Account] = [:]
    private var turns: UInt64 = 0

    private struct Account: Sendable {
        var running = 0
        var wantsMore = false
        /// Granted, but not reported as running yet.
        var granted = 0
        /// Granted and forfeited: the app may have launched these attempts before it was stopped, and may report them
        /// once.
        var late = 0
        /// The time for which it has used slots, in nanoseconds, as of `since`.
        var used: Int64 = 0
        var since: Int64 = 0
        /// When it had its last turn: among equals the one that has waited longest is next.
        var lastTurn: UInt64 = 0
        /// When its wait for a slot began.
        var waitsSince: Int64?
        /// The number of running attempts that it was asked to return, and the time of the last request.
        var reclaimed = 0
        var reclaimedAt: Int64 = 0
        /// The number of running attempts that it did not return in time: other apps get their slots.
        var writtenOff = 0

        /// The slots it holds.
        // fits: numbers of slots
        var held: Int { running - writtenOff + granted }

        var isWaiting: Bool { wantsMore && granted == 0 && writtenOff == 0 }

        // fits: numbers of slots
        var isActive: Bool { running + granted > 0 || wantsMore }

        func used(at elapsed: Int64) -> Int64 {
            let time = elapsed.saturatingSubtracting(since)
            // fits: numbers of slots
            return used.saturatingAdding(time.saturatingMultiplied(by: Int64(running + granted)))
        }

        /// Charges the time until now. Call it before `running` or `granted` changes.
        mutating func charge(until elapsed: Int64) {
            used = used(at: elapsed)
            since = elapsed
        }
    }

    /// - Parameter slots: At least 1.
    package init(slots: Int, policy: SharePolicy = SharePolicy()) {
        self.slots = max(1, slots)
        self.policy = policy
    }

    /// Reports the running attempts of an app and whether it would launch more. The grants in `answers` that it did not
    /// use are free again. The app belongs to another user: counts at most the attempts that ran before plus those
    /// granted.
    package mutating func report(
        _ app: App, running: Int, wantsMore: Bool, answers: Int, at elapsed: Int64
    ) {
        var account = accounts[app] ?? Account(since: elapsed)
        account.charge(until: elapsed)
        let wasActive = account.isActive
        let answered = min(max(0, answers), account.granted)
        let before = account.running
        // fits: at most its grants
        account.granted -= answered
        let most = before.saturatingAdding(answered).saturatingAdding(account.late)
        account.running = min(max(0, running), most)
        account.late = 0
        // fits: neither is negative
        let ended = max(0, before - account.running)
        account.reclaimed = max(0, account.reclaimed - ended)
        account.writtenOff = max(0, account.writtenOff - ended)
        account.wantsMore = wantsMore
        // Its waiting time restarts when it holds fewer slots than before.
        let since = ended > 0 ? nil : account.waitsSince
        account.waitsSince = wantsMore ? since ?? elapsed : nil
        if !wasActive, account.isActive {
            account.used = beginning(of: app, account.used, at: elapsed)
        }
        accounts[app] = account
    }

    /// The initial use of an app that returns from a rest. Time alone counts against it for at most an hour.
    private func beginning(of app: App, _ used: Int64, at elapsed: Int64) -> Int64 {
        let others = accounts.filter { $0.key != app }.values
        let active = others.filter(\.isActive).map { $0.used(at: elapsed) }
        guard let least = active.min() else {
            return max(used, others.map { $0.used(at: elapsed) }.max() ?? 0)
        }
        return min(max(used, least), least.saturatingAdding(Self.longestDebt))
    }

    private static var longestDebt: Int64 { 3_600_000_000_000 }

    /// Charges an app for a grant that it did not answer in time; it gets no other before its next report.
    package mutating func forfeit(_ app: App, at elapsed: Int64) {
        accounts[app]?.charge(until: elapsed)
        let granted = accounts[app]?.granted ?? 0
        accounts[app]?.late = granted
        accounts[app]?.granted = 0
        accounts[app]?.wantsMore = false
        accounts[app]?.waitsSince = nil
    }

    /// Removes an app that has ended; it holds nothing afterwards.
    package mutating func remove(_ app: App) { accounts[app] = nil }

    /// The next app and how many attempts it may launch: one while other apps wait, all free slots if it is alone. Nil
    /// if no slot is free, or no app without an open grant waits.
    package mutating func next(at elapsed: Int64) -> (app: App, count: Int)? {
        let taken = taken
        guard taken < slots else { return nil }
        let waiting = accounts.filter(\.value.isWaiting)
        guard let app = waiting.keys.min(by: { rank($0, elapsed) < rank($1, elapsed) })
        else { return nil }
        let isAlone = accounts.allSatisfy { $0.key == app || !$0.value.wantsMore }
        let count = isAlone ? slots - taken : 1
        turns += 1
        accounts[app]?.charge(until: elapsed)
        accounts[app]?.granted = count
        accounts[app]?.lastTurn = turns
        accounts[app]?.waitsSince = nil
        return (app, count)
    }

    /// The app with the lowest rank is next.
    private func rank(_ app: App, _ elapsed: Int64) -> (Int, Int64, UInt64, App) {
        let account = accounts[app] ?? Account()
        return (
            isOverdue(account, elapsed) ? 0 : 1, account.used(at: elapsed), account.lastTurn, app
        )
    }

    /// Whether `next` would grant a slot.
    package var hasFreeSlots: Bool {
        taken < slots && accounts.values.contains(where: \.isWaiting)
    }

    private var taken: Int { accounts.values.reduce(0) { $0 + $1.held } }

    /// Whether it holds nothing and has waited for the time in the policy: then it is next regardless of its use.
    private func isOverdue(_ account: Account, _ elapsed: Int64) -> Bool {
        account.held == 0 && dueDate(account).map { $0 <= elapsed } ?? false
    }

    private func dueDate(_ account: Account) -> Int64? {
        account.waitsSince?.saturatingAdding(policy.reclaimAfter.nanoseconds)
    }

    // MARK: reclaiming slots

    /// The app that must return one slot because another app has waited for `reclaimAfter`: the app that holds the
    /// most. Nil: none. Afterwards both hold slots, or take turns.
    package mutating func reclaim(at elapsed: Int64) -> App? {
        writeOff(at: elapsed)
        let due = accounts.filter { dueDate($0.value).map { $0 <= elapsed } ?? false }
        guard let least = due.values.map(\.held).min() else { return nil }
        let needed = due.values.count { $0.held == least }
        let onTheWay = accounts.values.reduce(0) { $0 + $1.reclaimed }
        guard onTheWay < needed, taken >= slots else { return nil }
        let holders = accounts.filter { remaining($0.value) > 0 }
        guard
            let holder = holders.max(by: { left, right in
                (remaining(left.value), left.value.used(at: elapsed), left.key)
                    < (remaining(right.value), right.value.used(at: elapsed), right.key)
            }), least == 0 || remaining(holder.value) >= least + 2
        else { return nil }
        accounts[holder.key]?.reclaimed += 1
        accounts[holder.key]?.reclaimedAt = elapsed
        return holder.key
    }

    /// The slots it keeps after it returns the reclaimed ones.
    private func remaining(_ account: Account) -> Int {
        account.running - account.writtenOff - account.reclaimed
    }

    private mutating func writeOff(at elapsed: Int64) {
        for (app, account) in accounts where account.reclaimed > 0 {
            guard writeOffDate(account) <= elapsed else { continue }
            accounts[app]?.writtenOff = min(account.running, account.writtenOff + account.reclaimed)
            accounts[app]?.reclaimed = 0
        }
    }

    private func writeOffDate(_ account: Account) -> Int64 {
        account.reclaimedAt.saturatingAdding(policy.reclaimTimeout.nanoseconds)
    }

    /// When `reclaim` may return an app without a new report; nil: only after a report.
    package func reclaimDate(after elapsed: Int64) -> Int64? {
        let dates =
            accounts.values.compactMap(dueDate)
            + accounts.values.filter { $0.reclaimed > 0 }.map(writeOffDate)
        return dates.filter { $0 > elapsed }.min()
    }
}
