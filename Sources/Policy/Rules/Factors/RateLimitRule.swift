// SPDX-License-Identifier: Apache-2.0

extension Policy {
    /// The minimum time between launches of a task (Apple spaces refreshes and pushes), after `missed` attempts in a
    /// row that ran out of time without a report: each one doubles the penalty.
    package func spacing(of kind: TaskKind, missedCompletions missed: Int) -> Interval {
        let regular: Interval =
            switch kind {
            case .appRefresh: appRefreshSpacing
            case .push: pushSpacing
            case .processing, .continued, .transfer: .zero
            }
        guard missed > 0, kind.isDiscretionary, missedCompletionPenalty > .zero else {
            return regular
        }
        let penalty = missedCompletionPenalty.multiplied(by: 1 << Int64(min(missed - 1, 40)))
        return max(regular, min(penalty, missedCompletionMaximum))
    }

    /// The minimum time from a launch to that of a request for the same identifier that its own attempt submits.
    func ownSpacing(of kind: TaskKind) -> Interval {
        max(resubmissionSpacing, kind.isSpacedFromItself ? processingSpacing : .zero)
    }
}

extension Engine.TaskState {
    /// The date until which the app's own request keeps its distance from the last launch; nil: none, or a retry.
    func spacedDate(of request: TaskRequest, _ policy: Policy) -> WallTime? {
        guard request.isSpaced, request.failures == 0, request.interruptions == 0, let spacedFrom
        else { return nil }
        let spacing = policy.ownSpacing(of: declaration.kind)
        return spacing > .zero ? spacedFrom.advanced(by: spacing) : nil
    }
}

extension AppFacts {
    /// Apple: a few pushes an hour. At most `pushHourly` launches in any hour.
    func pushCeilingVerdict(policy: Policy, now: WallTime) -> Decision {
        let excess = pushLaunches.count - policy.pushHourly  // fits: it is not negative
        guard policy.pushHourly > 0, excess >= 0 else { return .satisfied }
        return .blocked(until: pushLaunches[excess].advanced(by: .hours(1)), now: now)
    }

    /// A push was granted a launch at `now`.
    mutating func notePush(policy: Policy, now: WallTime) {
        pushLaunches.removeAll { $0.advanced(by: .hours(1)) <= now }
        pushLaunches.append(now)
        let excess = pushLaunches.count - policy.pushHourly  // fits: it is not negative
        pushLaunches.removeFirst(max(0, excess))
    }
}
