// SPDX-License-Identifier: Apache-2.0

/// The result for a request when its attempt is over.
package enum Aftermath: Equatable, Sendable {
    /// It is done. The next request of a periodic task has this date.
    case done(next: WallTime?)
    /// It failed and no further attempt is allowed. A periodic task continues at this date.
    case gaveUp(next: WallTime?)
    /// It failed and is pending again after this delay.
    case retry(after: Interval)
    /// The system revoked its time: it is pending again, unchanged.
    case requeue
}

extension TaskDeclaration {
    /// The result of `outcome` of an attempt that ended at `now`, after `failures` earlier ones. A revocation by the
    /// system is not a failure; one by a person ends the request. A retry after the next period is left to that period.
    /// Continued work that may only start at once does not start again.
    package func aftermath(
        of outcome: Outcome, failures: Int, launched: WallTime, due: WallTime? = nil,
        occurrence: WallTime? = nil, isOnlyImmediate: Bool = false, now: WallTime,
        catchUpLimit: Int = 100
    ) -> Aftermath {
        let isOnlyImmediate = self.isOnlyImmediate || kind == .continued && isOnlyImmediate
        let next = nextPeriod(
            afterLaunch: launched, due: due, occurrence: occurrence, now: now, limit: catchUpLimit)
        switch outcome {
        case .completed:
            return .done(next: next)
        case .expired(.cancelled, _):
            return .gaveUp(next: next)
        case .expired(let reason, _) where reason.shortage != nil:
            return .requeue
        case .expired(let reason, _) where !reason.countsAsFailure:
            return isOnlyImmediate ? .gaveUp(next: next) : .requeue
        case .interrupted:
            return isOnlyImmediate ? .gaveUp(next: next) : .requeue
        case .failed, .expired, .crashed, .limited, .exited, .refused:
            // fits: clamped when it is read
            guard let delay = retry?.delay(afterFailures: failures + 1) else {
                return .gaveUp(next: next)
            }
            if let next, next < now.advanced(by: delay) { return .gaveUp(next: next) }
            return .retry(after: delay)
        }
    }

    /// Apple: continued work with strategy `fail` starts when it is submitted, or not at all.
    package var isOnlyImmediate: Bool { kind == .continued && strategy == .fail }
}
