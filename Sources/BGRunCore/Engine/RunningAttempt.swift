// SPDX-License-Identifier: Apache-2.0

/// An attempt between launch and end, and the rung of the expiration ladder it stands on.
///
/// told -> grace -> SIGTERM -> wait -> SIGKILL. Each rung has one deadline; the ladder only goes
/// down.
struct RunningAttempt: Sendable {
    let attempt: Attempt
    let requires: Conditions
    let grace: Interval
    /// Launched by hand: conditions it does not meet do not revoke it.
    let isForced: Bool
    private(set) var rung: Rung

    enum Rung: Sendable {
        /// Has reported its result and may tidy up; SIGTERM follows.
        case reported(terminateAt: Int64)
        /// Has time until this elapsed instant.
        case granted(until: Int64)
        /// Was told; SIGTERM follows.
        case told(StopReason, terminateAt: Int64)
        /// Was sent SIGTERM; SIGKILL follows.
        case terminated(killAt: Int64)
        /// Was sent SIGKILL; only the kernel is waited for.
        case killed
    }

    init(_ attempt: Attempt, requires: Conditions, grace: Interval, isForced: Bool) {
        self.attempt = attempt
        self.requires = requires
        self.grace = grace
        self.isForced = isForced
        rung = .granted(until: attempt.deadlineElapsed)
    }

    /// The elapsed instant of the next rung; nil on the last one.
    var deadline: Int64? {
        switch rung {
        case .granted(let deadline), .reported(let deadline), .told(_, let deadline),
            .terminated(let deadline):
            deadline
        case .killed: nil
        }
    }

    /// Gives an attempt that has reported its result `grace` to return from its handler.
    mutating func linger(at now: Instant) {
        guard case .granted = rung else { return }
        rung = .reported(terminateAt: now.elapsed.saturatingAdding(grace.nanoseconds))
    }

    /// Revokes its time with `grace`; does nothing when it is revoked already.
    mutating func expire(_ reason: StopReason, grace: Interval, at now: Instant) -> [Action] {
        guard case .granted = rung else { return [] }
        let terminateAt = now.elapsed.saturatingAdding(grace.nanoseconds)
        rung = .told(reason, terminateAt: terminateAt)
        return [
            .record(
                .expiring(identifier: attempt.request.identifier, attempt: attempt.id, reason)),
            .expire(attempt: attempt.id, reason, grace: grace, deadlineElapsed: terminateAt),
        ]
    }

    /// Takes every rung that is due: several at once where a grace or wait is zero.
    mutating func descend(at now: Instant, terminationWait: Interval) -> [Action] {
        var actions: [Action] = []
        while let deadline, deadline <= now.elapsed {
            actions += step(at: now, terminationWait: terminationWait)
        }
        return actions
    }

    private mutating func step(at now: Instant, terminationWait: Interval) -> [Action] {
        let identifier = attempt.request.identifier
        switch rung {
        case .granted:
            return expire(.time, grace: grace, at: now)
        case .told, .reported:
            rung = .terminated(
                killAt: now.elapsed.saturatingAdding(terminationWait.nanoseconds))
            return [
                .record(.terminating(identifier: identifier, attempt: attempt.id)),
                .terminate(attempt: attempt.id),
            ]
        case .terminated:
            rung = .killed
            return [
                .record(.killing(identifier: identifier, attempt: attempt.id)),
                .kill(attempt: attempt.id),
            ]
        case .killed:
            return []
        }
    }
}
