// SPDX-License-Identifier: Apache-2.0

/// The progress of a continued attempt, and whether it has stalled. Apple: progress is mandatory. `completed` must
/// rise, or a new `total` begin a new count: within `stallWarning`, or a warning is logged; within `stallLimit`, or the
/// attempt is expired as stalled. The launch counts as progress.
package struct ProgressWatch: Equatable, Sendable {
    package private(set) var completed: Int64 = 0
    package private(set) var total: Int64 = 0
    /// The elapsed instant of the last progress.
    package private(set) var movedAt: Int64
    package private(set) var isWarned = false

    enum Stage: Equatable, Sendable {
        case moving
        /// No progress for the warning time; `left` remains.
        case warning(left: Interval)
        case stalled
    }

    package let warning: Interval
    package let limit: Interval

    init(launchedAt elapsed: Int64, policy: Policy) {
        movedAt = elapsed
        warning = policy.stallWarning
        limit = policy.stallLimit
    }

    /// A watch as it was.
    package init(
        completed: Int64, total: Int64, movedAt: Int64, isWarned: Bool, warning: Interval,
        limit: Interval
    ) {
        self.completed = completed
        self.total = total
        self.movedAt = movedAt
        self.isWarned = isWarned
        self.warning = warning
        self.limit = limit
    }

    /// The handler reports its progress.
    mutating func note(completed: Int64, total: Int64, at elapsed: Int64) {
        guard completed > self.completed || total != self.total else { return }
        self.completed = completed
        self.total = total
        movedAt = elapsed
        isWarned = false
    }

    /// The elapsed instant at which `stage` changes next without progress.
    var deadline: Int64 {
        movedAt.saturatingAdding((isWarned ? limit : min(warning, limit)).nanoseconds)
    }

    /// Whether there was no progress for the whole limit.
    func isStalled(at elapsed: Int64) -> Bool {
        elapsed.saturatingSubtracting(movedAt) >= limit.nanoseconds
    }

    /// The stage at `elapsed`; a warning is given once.
    mutating func stage(at elapsed: Int64) -> Stage {
        let still = elapsed.saturatingSubtracting(movedAt)
        if still >= limit.nanoseconds { return .stalled }
        guard !isWarned, still >= warning.nanoseconds else { return .moving }
        isWarned = true
        return .warning(left: limit.reduced(by: Interval(nanoseconds: still)))
    }

    /// Whether `self` has less progress (Apple: minimal progress goes first). An unknown total counts as zero.
    func hasLessProgress(than other: ProgressWatch) -> Bool {
        let left = total > 0 ? Double(completed) / Double(total) : 0
        let right = other.total > 0 ? Double(other.completed) / Double(other.total) : 0
        return left < right
    }
}
