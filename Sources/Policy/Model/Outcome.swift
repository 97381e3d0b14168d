// SPDX-License-Identifier: Apache-2.0

/// How an attempt ended. Exactly one of these is recorded for every attempt.
package enum Outcome: Equatable, Sendable {
    /// The handler reported success in time.
    case completed
    /// The handler reported failure in time, or ended without a report.
    case failed
    /// Time was revoked for `reason`; `reported` is the later result of the handler, if any.
    case expired(StopReason, reported: Bool?)
    /// A signal the host did not send killed the worker.
    case crashed(signal: Int32)
    /// The handler ended its process with exit().
    case exited(code: Int32)
    /// The handler never ran: the plugin could not be loaded or does not have this handler.
    case refused
    /// The host died while the attempt was running.
    case interrupted

    /// Why its time was revoked; nil if it was not.
    package var stopReason: StopReason? {
        if case .expired(let reason, _) = self { reason } else { nil }
    }

    /// The word in every table and in the store.
    package var name: String {
        switch self {
        case .completed: "completed"
        case .failed: "failed"
        case .expired: "expired"
        case .crashed: "crashed"
        case .exited: "exited"
        case .refused: "refused"
        case .interrupted: "interrupted"
        }
    }
}
