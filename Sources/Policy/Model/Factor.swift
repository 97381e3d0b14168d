// SPDX-License-Identifier: Apache-2.0

/// Reasons to hold work back, besides the conditions of a task: Apple's seven scheduling factors (WWDC20-10063), and
/// the state of the machine.
package enum Factor: UInt8, Sendable, CaseIterable {
    /// The app was removed by hand and not opened since (Apple: app switcher).
    case appSwitcher
    /// Background refresh is switched off for the app.
    case refreshSwitch
    /// The battery is critically low and nothing charges it.
    case criticalBattery
    case lowPowerMode
    /// How the app is used: not recently, or only later.
    case appUsage
    /// The running time the app may spend has been spent.
    case budget
    /// The last launch was too recent, or there were too many.
    case rateLimit
    case thermal
    case pressure
    /// External power is preferred, less so the longer a request waits.
    case powerPreference
    /// A person uses the device.
    case userActivity

    /// The word in every table.
    package var name: String {
        switch self {
        case .appSwitcher: "app-switcher"
        case .refreshSwitch: "refresh-switch"
        case .criticalBattery: "critical-battery"
        case .lowPowerMode: "low-power-mode"
        case .appUsage: "app-usage"
        case .budget: "budget"
        case .rateLimit: "rate-limit"
        case .thermal: "thermal"
        case .pressure: "pressure"
        case .powerPreference: "power-preference"
        case .userActivity: "user-activity"
        }
    }
}

package struct Factors: OptionSet, Equatable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    init(_ factor: Factor) { rawValue = 1 << UInt16(factor.rawValue) }

    package init(_ factors: [Factor]) {
        rawValue = factors.reduce(0) { $0 | 1 << UInt16($1.rawValue) }
    }

    static let all = Factors(Factor.allCases)

    package func contains(_ factor: Factor) -> Bool { contains(Factors(factor)) }
}

/// The inputs of launches and running attempts: no other state of the device need be watched.
package struct Needs: Equatable, Sendable {
    package var conditions: Conditions
    package var factors: Factors

    package init(conditions: Conditions = [], factors: Factors = []) {
        self.conditions = conditions
        self.factors = factors
    }
}

/// Whether a factor lets work start.
package enum Decision: Equatable, Sendable {
    case satisfied
    /// Held back; `until` is the end without an event, nil if only an event can end it.
    case blocked(until: WallTime?)

    static func blocked(until date: WallTime, now: WallTime) -> Decision {
        date > now ? .blocked(until: date) : .satisfied
    }

    /// The combination: blocked until the later end, or until an event if one of them needs it.
    func and(_ other: Decision) -> Decision {
        switch (self, other) {
        case (.satisfied, let verdict), (let verdict, .satisfied): verdict
        case (.blocked(let first?), .blocked(let second?)): .blocked(until: max(first, second))
        case (.blocked, .blocked): .blocked(until: nil)
        }
    }
}
