// SPDX-License-Identifier: Apache-2.0

import CBGRunPlugin

/// The reason why an attempt must end, and its remaining time.
public struct PluginExpiration: Hashable, Sendable {
    /// The reason for the revocation. A reason that this SDK does not know is `other`.
    public enum Reason: UInt32, Hashable, Sendable, CaseIterable {
        case other
        /// The granted time is over.
        case time
        /// External power was required and was lost.
        case powerLost
        /// A network was required and was lost.
        case networkLost
        /// An unmetered network was required.
        case becameMetered
        /// Idleness was required and the user has returned.
        case userActive
        case lowBattery
        case lowPowerMode
        case thermal
        case pressure
        case quota
        /// There was no progress for too long.
        case stalled
        case preempted
        /// A user or program requested it.
        case cancelled
        /// The host is ending.
        case shutdown
        /// The machine is about to sleep.
        case suspend
        case manifestChanged
    }

    public var reason: Reason
    /// The reason for people, for example "time".
    public var text: String
    /// The time left until SIGTERM; may be zero.
    public var grace: Duration
    /// The time of SIGTERM.
    public var deadline: ContinuousClock.Instant

    public init(
        reason: Reason, text: String, grace: Duration, deadline: ContinuousClock.Instant
    ) {
        self.reason = reason
        self.text = text
        self.grace = grace
        self.deadline = deadline
    }

    init(_ expiration: bgrun_expiration) {
        self.init(
            reason: Reason(rawValue: expiration.reason) ?? .other,
            text: expiration.reason_text.map { String(cString: $0) } ?? "other",
            grace: .nanoseconds(expiration.grace_ns),
            deadline: .now.advanced(by: .nanoseconds(expiration.grace_ns)))
    }
}
