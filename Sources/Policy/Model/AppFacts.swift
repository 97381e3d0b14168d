// SPDX-License-Identifier: Apache-2.0

/// The known facts about the app itself. They outlive the host: every change is emitted as `Action.remember`.
package struct AppFacts: Equatable, Sendable {
    /// When a person last used the app; nil if this was never reported.
    package var lastForeground: WallTime?
    /// Removed by hand, and not opened since: nothing runs (Apple: swiped away).
    package var isForceQuit = false
    package var refreshSwitch = RefreshSwitch.available
    package var budget = BudgetAccount()
    /// When push launches were granted within the last hour, ascending.
    package var pushLaunches: [WallTime] = []
    package var usage = UsageModel()
    /// The last launch of a refresh whose date usage decides; nil: none.
    var lastRefresh: WallTime?
    /// The previous one, in case that launch is withdrawn.
    var refreshBefore: WallTime?
    /// How often in a row each task, by its identifier, ran out of time without a report.
    package var missedCompletions: [String: Int] = [:]

    /// The launch from which each task, by its identifier, is spaced.
    package var spacedFrom: [String: WallTime] = [:]

    package init() {}
}

/// Apple: UIBackgroundRefreshStatus.
package enum RefreshSwitch: Int64, Sendable, Named {
    /// An administrator forbids it; the person cannot switch it on.
    case restricted = 0
    /// The person has switched it off.
    case denied = 1
    case available = 2

    /// The word of commands and tables.
    package var name: String {
        switch self {
        case .restricted: "restricted"
        case .denied: "denied"
        case .available: "available"
        }
    }
}

/// A number stored under a name; nil removes it.
package struct Fact: Equatable, Sendable {
    package var name: String
    package var value: Int64?

    package init(_ name: String, _ value: Int64?) {
        self.name = name
        self.value = value
    }
}

extension AppFacts {
    /// Every fact that is not at its default, sorted by name.
    package var entries: [Fact] {
        var entries = [
            Fact("force-quit", isForceQuit ? 1 : nil),
            Fact("last-foreground", lastForeground?.milliseconds),
            Fact("refresh-switch", refreshSwitch == .available ? nil : refreshSwitch.rawValue),
        ]
        entries += budgetFacts
        entries += pushFacts()
        entries += refreshFacts
        entries += missedCompletions.keys.map(missedFact)
        entries += spacedFrom.keys.map(spacedFact)
        entries += usage.hours.enumerated().compactMap { hour, uses in
            uses.map { Fact("use:\(hour)", $0.stored) }
        }
        return entries.filter { $0.value != nil }.sorted { $0.name < $1.name }
    }

    /// The budget spent, and when.
    var budgetFacts: [Fact] {
        [
            Fact("budget-at", budget.at?.milliseconds),
            Fact("budget-spent", budget.spent == .zero ? nil : budget.spent.nanoseconds),
        ]
    }

    var refreshFacts: [Fact] {
        [
            Fact("last-refresh", lastRefresh?.milliseconds),
            Fact("refresh-before", refreshBefore?.milliseconds),
        ]
    }

    /// The push launches, and a nil for each entry that is gone of the `count` previous ones.
    func pushFacts(atLeast count: Int = 0) -> [Fact] {
        (0..<max(count, pushLaunches.count)).map {
            Fact("push:\($0)", $0 < pushLaunches.count ? pushLaunches[$0].milliseconds : nil)
        }
    }

    func missedFact(_ identifier: String) -> Fact {
        Fact("missed:\(identifier)", missedCompletions[identifier].map(Int64.init))
    }

    func spacedFact(_ identifier: String) -> Fact {
        Fact("spaced:\(identifier)", spacedFrom[identifier]?.milliseconds)
    }

    /// Restores the result of `entries`; ignores unknown names.
    package init(entries: [Fact]) {
        self.init()
        for entry in entries {
            guard let value = entry.value else { continue }
            let date = WallTime(milliseconds: value)
            switch entry.name {
            case "budget-at": budget.at = date
            case "budget-spent": budget.spent = Interval(nanoseconds: max(0, value))
            case "force-quit": isForceQuit = value != 0
            case "last-foreground": lastForeground = date
            case "last-refresh": lastRefresh = date
            case "refresh-before": refreshBefore = date
            case "refresh-switch": refreshSwitch = RefreshSwitch(rawValue: value) ?? .available
            default: restore(entry.name, value)
            }
        }
        pushLaunches.sort()
    }

    private mutating func restore(_ name: String, _ value: Int64) {
        guard let colon = name.firstIndex(of: ":") else { return }
        let rest = String(name[name.index(after: colon)...])
        switch name[..<colon] {
        case "push": pushLaunches.append(WallTime(milliseconds: value))
        case "missed": missedCompletions[rest] = Int(clamping: min(max(0, value), 1_000))
        case "spaced": spacedFrom[rest] = WallTime(milliseconds: value)
        case "use":
            guard let hour = Int(rest), usage.hours.indices.contains(hour) else { return }
            usage.hours[hour] = UsageModel.Uses(stored: value)
        default: return
        }
    }

    /// The facts to store to get from `old` to these facts.
    package func changes(since old: AppFacts) -> [Fact] {
        let before = Dictionary(old.entries.map { ($0.name, $0.value) }) { first, _ in first }
        let after = Dictionary(entries.map { ($0.name, $0.value) }) { first, _ in first }
        let changed = after.filter { before[$0.key] != $0.value }.map { Fact($0.key, $0.value) }
        let gone = before.keys.filter { after[$0] == nil }.map { Fact($0, nil) }
        return (changed + gone).sorted { $0.name < $1.name }
    }

    /// The clock was set back: limits all dates to `now`.
    mutating func clamp(to now: WallTime, in zone: ZoneRules) {
        lastForeground = lastForeground.map { min($0, now) }
        budget.at = budget.at.map { min($0, now) }
        pushLaunches = pushLaunches.map { min($0, now) }
        spacedFrom = spacedFrom.mapValues { min($0, now) }
        lastRefresh = lastRefresh.map { min($0, now) }
        refreshBefore = refreshBefore.map { min($0, now) }
        usage.clamp(to: now, in: zone)
    }
}
