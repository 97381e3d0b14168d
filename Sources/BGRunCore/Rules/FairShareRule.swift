// SPDX-License-Identifier: Apache-2.0

/// Whose turn it is when several apps share the room of a machine: the one that has used the least
/// running time. Over time apps that always want to run get the same.
///
/// Start-time fair queueing (Goyal, Vin and Cheng 1996): an app that comes back from a rest begins
/// where the least of the others stands, so that rest earns no credit.
public struct FairShareRule<App: Hashable & Comparable & Sendable>: Sendable {
    /// Attempts that may run at once, of all apps together.
    public let slots: Int
    private var accounts: [App: Account] = [:]
    private var turns: UInt64 = 0

    private struct Account: Sendable {
        var running = 0
        var wantsMore = false
        /// Granted, and not reported as running yet.
        var granted = 0
        /// Nanoseconds of running time, as of `since`.
        var used: Int64 = 0
        var since: Int64 = 0
        /// When it had its last turn: of equals the one that has waited longer is next.
        var lastTurn: UInt64 = 0

        var isActive: Bool { running + granted > 0 || wantsMore }

        func used(at elapsed: Int64) -> Int64 {
            let time = elapsed.saturatingSubtracting(since)
            return used.saturatingAdding(
                time.multipliedReportingOverflow(by: Int64(running)).partialValue)
        }
    }

    /// - Parameter slots: At least 1.
    public init(slots: Int) {
        self.slots = max(1, slots)
    }

    /// What runs of an app now, and whether it would launch more, were there room. An answer to a
    /// grant: what was not used of it is free again.
    public mutating func report(
        _ app: App, running: Int, wantsMore: Bool, answers: Int, at elapsed: Int64
    ) {
        var account = accounts[app] ?? Account(since: elapsed)
        account.used = account.used(at: elapsed)
        account.since = elapsed
        let wasActive = account.isActive
        account.granted = max(0, account.granted - answers)
        account.running = max(0, running)
        account.wantsMore = wantsMore
        if !wasActive, account.isActive {
            account.used = beginning(of: app, account.used, at: elapsed)
        }
        accounts[app] = account
    }

    /// Where an app stands that comes back from a rest. Nobody competed while it was alone, so what it
    /// has used then counts against it for an hour at most.
    private func beginning(of app: App, _ used: Int64, at elapsed: Int64) -> Int64 {
        let others = accounts.filter { $0.key != app }.values
        let active = others.filter(\.isActive).map { $0.used(at: elapsed) }
        guard let least = active.min() else {
            return max(used, others.map { $0.used(at: elapsed) }.max() ?? 0)
        }
        return min(max(used, least), least.saturatingAdding(Self.longestDebt))
    }

    private static var longestDebt: Int64 { 3_600_000_000_000 }

    /// An app that has not answered its grant in time does not get another before it reports again.
    public mutating func forfeit(_ app: App) {
        accounts[app]?.granted = 0
        accounts[app]?.wantsMore = false
    }

    /// An app that is gone holds nothing.
    public mutating func remove(_ app: App) {
        accounts[app] = nil
    }

    /// Whose turn it is, and how many attempts it may launch: one while others wait as well, all that
    /// is free when it is alone. Nil when nothing is free, or nobody who wants it has none granted.
    public mutating func next(at elapsed: Int64) -> (app: App, count: Int)? {
        let taken = accounts.values.reduce(0) { $0 + $1.running + $1.granted }
        guard taken < slots else { return nil }
        let waiting = accounts.filter { $0.value.wantsMore && $0.value.granted == 0 }
        guard
            let app = waiting.min(by: { left, right in
                let (first, second) = (left.value, right.value)
                return (first.used(at: elapsed), first.lastTurn, left.key)
                    < (second.used(at: elapsed), second.lastTurn, right.key)
            })?.key
        else { return nil }
        let isAlone = accounts.allSatisfy { $0.key == app || !$0.value.wantsMore }
        let count = isAlone ? slots - taken : 1
        turns += 1
        accounts[app]?.granted = count
        accounts[app]?.lastTurn = turns
        return (app, count)
    }
}
