// SPDX-License-Identifier: Apache-2.0

@testable import BGRunPolicy

extension Engine {
    /// The time until the deadline of a running attempt; nil when it is not running.
    func timeRemaining(attempt: Int64, at now: Instant) -> Interval? {
        running.first { $0.attempt.id == attempt }?.timeRemaining(at: now.elapsed)
    }
}

extension RunningAttempt {
    fileprivate func timeRemaining(at elapsed: Int64) -> Interval {
        switch rung {
        case .waiting: timeLimit
        case .granted(let deadline, _), .asserting(let deadline), .reported(let deadline),
            .told(_, let deadline):
            Interval(nanoseconds: max(0, deadline.saturatingSubtracting(elapsed)))
        case .terminated, .killed: .zero
        }
    }
}
