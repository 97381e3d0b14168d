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
    /// The attempt reached a limit of its confinement.
    case limited(LimitedResource)
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

    /// The word beside the name: why its time was revoked, or the limit that it reached.
    package var reason: String? {
        switch self {
        case .expired(let reason, _): reason.name
        case .limited(let resource): resource.rawValue
        default: nil
        }
    }

    /// The word in every table and in the store.
    package var name: String {
        switch self {
        case .completed: "completed"
        case .failed: "failed"
        case .expired: "expired"
        case .crashed: "crashed"
        case .limited: "limited"
        case .exited: "exited"
        case .refused: "refused"
        case .interrupted: "interrupted"
        }
    }
}

/// What a limit of `Confinement` counts; the raw values are in every table and in the store.
package enum LimitedResource: String, CaseIterable, Sendable {
    case memory
    case processorTime = "cpu-time"
    case fileSize = "file-size"
}
