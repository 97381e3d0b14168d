// SPDX-License-Identifier: Apache-2.0

/// Why a pending request is not running, and what would change that.
public enum PendingReason: Hashable, Sendable {
    /// Its earliest date has not come.
    case notBefore(WallTime)
    /// These conditions do not hold.
    case conditions(Conditions)
    /// An attempt of its identifier is running.
    case overlap(attempt: Int64)
    /// As many attempts are running as may run at once.
    case concurrency(limit: Int)
    /// The host is ending, or launches only what was pending when it began (`--once`).
    case notAdmitted
    /// Nothing holds it: it is launched as soon as a host runs.
    case eligible

    /// One sentence for people.
    public func text(now: WallTime) -> String {
        switch self {
        case .notBefore: "its earliest date has not come"
        case .conditions(let missing):
            "waits for " + missing.names.joined(separator: ", ")
        case .overlap(let attempt): "waits for running attempt \(attempt) to end"
        case .concurrency(let limit): "\(limit) attempts are running, as many as policy allows"
        case .notAdmitted: "this host launches nothing more"
        case .eligible: "eligible: launched as soon as a host runs"
        }
    }
}

extension Engine {
    /// The one reason the pending request of `identifier` is not running; nil when none is pending.
    public func pendingReason(_ identifier: String, at now: WallTime) -> PendingReason? {
        guard let request = pending.request(identifier),
            let declaration = admission.declaration(for: identifier)
        else { return nil }
        if isShuttingDown || request.id > lastLaunchableID { return .notAdmitted }
        if let earliest = request.earliest, earliest > now { return .notBefore(earliest) }
        let missing = declaration.requires.subtracting(satisfied)
        if !missing.isEmpty { return .conditions(missing) }
        if let attempt = runningAttempt(identifier) { return .overlap(attempt: attempt.id) }
        let limit = configuration.policy.concurrentAttempts
        return running.count < limit ? .eligible : .concurrency(limit: limit)
    }
}
