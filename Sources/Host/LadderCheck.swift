// SPDX-License-Identifier: Apache-2.0

/// A step taken to end an attempt. The engine decides the steps; each is checked again before it is taken, since a
/// signal cannot be taken back.
enum LadderStep: Int {
    case told = 1
    case terminated
    case killed

    /// Whether it may be taken after `earlier`; nil: after none. An attempt that has reported is terminated without
    /// being told.
    func follows(_ earlier: LadderStep?) -> Bool {
        switch self {
        case .told: earlier == nil
        case .terminated: earlier == nil || earlier == .told
        case .killed: earlier == .terminated
        }
    }
}

extension HostAttempts {
    /// Takes a step for a running attempt.
    mutating func take(_ step: LadderStep, of attempt: Int64) {
        precondition(views[attempt] != nil, "attempt \(attempt) is \(step) and does not run")
        let earlier = steps[attempt]
        precondition(
            step.follows(earlier),
            "attempt \(attempt) is \(step) after \(earlier.map { "\($0)" } ?? "nothing")")
        steps[attempt] = step
    }
}
