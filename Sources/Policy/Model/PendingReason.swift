// SPDX-License-Identifier: Apache-2.0

/// Why a pending request is not running, and what would change that.
package enum PendingReason: Equatable, Sendable {
    /// Its earliest date has not come.
    case notBefore(WallTime)
    /// These conditions do not hold.
    case conditions(Conditions)
    /// A scheduling factor holds it back; until that date, if known.
    case factor(Factor, until: WallTime?)
    /// An attempt of its identifier is running.
    case overlap(attempt: Int64)
    /// The maximum number of attempts is running.
    case concurrency(limit: Int)
    /// The maximum number of attempts of its kind is running.
    case kindLimit(TaskKind, limit: Int)
    /// The maximum number of attempts of its group is running.
    case groupLimit(String, limit: Int)
    /// The host is ending, or launches only requests that were pending at its start (`--once`).
    case notAdmitted
    /// No host runs that could launch it.
    case noHost
    /// The machine is about to sleep.
    case suspending
    /// Other apps of the machine, which share its slots, are served first.
    case share
    /// No worker can be started for lack of this resource; the host retries.
    case resources(Resource)
    /// A changed manifest takes effect after the attempts that it stops have ended.
    case reloading
    /// Nothing blocks it: it is launched as soon as a host runs.
    case eligible

    /// One sentence for people.
    package var text: String {
        switch self {
        case .notBefore: "its earliest date has not come"
        case .conditions(let missing): missing.sentence
        case .factor(let factor, _): factor.sentence
        case .overlap(let attempt): "waits for running attempt \(attempt) to end"
        case .concurrency(let limit): "\(Self.attempts(limit)) running, as many as policy allows"
        case .kindLimit(let kind, let limit):
            "\(Self.attempts(limit, kind.name)) running, as many as policy allows"
        case .groupLimit(let group, let limit):
            "\(Self.attempts(limit)) running in group \(group), as many as it allows"
        case .notAdmitted: "the host is ending and launches nothing more"
        case .noHost: "no host is running"
        case .suspending: "the device is about to sleep"
        case .share: "queued: waiting for the daemon to grant a slot"
        case .resources(let resource):
            "waits for resources: \(resource.shortage); \(resource.remedy)"
        case .reloading: "waits for the attempts that the changed manifest stops"
        case .eligible: "eligible: launched as soon as a host runs"
        }
    }

    private static func attempts(_ count: Int, _ kind: String? = nil) -> String {
        "\(count) " + (kind.map { $0 + " " } ?? "") + (count == 1 ? "attempt is" : "attempts are")
    }

    /// The reason in one or two words, for tables and metrics. Nil: only its date has not come.
    package var word: String? {
        switch self {
        case .notBefore: nil
        case .conditions(let missing): missing.names.joined(separator: ", ")
        case .factor(let factor, _): factor.name
        case .overlap: "overlap"
        case .concurrency, .kindLimit, .groupLimit: "concurrency"
        case .notAdmitted: "end of the host"
        case .noHost: "no host"
        case .suspending: "sleep"
        case .share: "share"
        case .resources: "resources"
        case .reloading: "manifest change"
        case .eligible: "launch"
        }
    }

    /// When the reason ends by itself, if known.
    package var until: WallTime? {
        switch self {
        case .notBefore(let date): date
        case .factor(_, let date): date
        default: nil
        }
    }
}

extension Factor {
    /// The reason after "held up by".
    package var cause: String {
        switch self {
        case .appSwitcher: "the app's removal by force"
        case .refreshSwitch: "background refresh, switched off"
        case .criticalBattery: "a critically low battery"
        case .lowPowerMode: "low power mode"
        case .appUsage: "app usage (last use too long ago, or next use ahead)"
        case .budget: "a spent budget"
        case .rateLimit: "the minimum interval between launches"
        case .thermal: "heat"
        case .pressure: "contended processor, memory or disk"
        case .powerPreference: "the preference for external power"
        case .userActivity: "a device that was not idle"
        }
    }

    /// A sentence for a request that this factor holds back.
    fileprivate var sentence: String {
        switch self {
        case .appSwitcher: "waits for the app to be opened: it was removed by force"
        case .refreshSwitch: "waits for background refresh to be switched on"
        case .criticalBattery: "waits for the battery: it is critically low"
        case .lowPowerMode: "waits for low power mode to end"
        case .appUsage: "waits for the app to be used, or for the time before its predicted use"
        case .budget: "waits for its budget: its running time is used up"
        case .rateLimit: "rate limited: its last launch was too recent"
        case .thermal: "waits for the device to cool down"
        case .pressure: "waits for processor, memory and disk to be less contended"
        case .powerPreference: "prefers external power; the preference weakens as it waits"
        // The same as for the condition alone.
        case .userActivity: Conditions.idle.sentence
        }
    }
}
