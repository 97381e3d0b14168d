// SPDX-License-Identifier: Apache-2.0

/// An attempt between launch and end, with its rung on the expiration ladder: told -> grace -> SIGTERM -> wait ->
/// SIGKILL. Each rung has one deadline; the ladder only goes down.
package struct RunningAttempt: Equatable, Sendable {
    package var attempt: Attempt
    /// The index of its declaration.
    package private(set) var task: Int
    /// Follows from its task and request; a snapshot has none.
    private(set) var requestClass = RequestClass(conditions: [])
    package let grace: Interval
    /// Launched by hand: unmet conditions do not revoke it.
    package let isForced: Bool
    /// The elapsed instant since which it has spent the app's budget; nil while it does not.
    package internal(set) var spendingSince: Int64?
    /// Whether a request of its identifier was submitted since.
    package var hasFollower: Bool
    /// Only continued attempts are watched for progress.
    package private(set) var progress: ProgressWatch?
    package private(set) var assertions: [Int64]
    /// Whether an assertion was not ended in time.
    package private(set) var hasLeakedAssertion: Bool
    package private(set) var rung: Rung {
        didSet {
            precondition(rung.follows(oldValue), "the ladder went from \(oldValue) to \(rung)")
        }
    }

    package enum Rung: Equatable, Sendable {
        /// Its worker runs another attempt first; its time begins afterwards.
        case waiting
        /// Has reported its result, and continues until this elapsed instant while it holds an assertion.
        case asserting(until: Int64)
        /// Has reported its result and may tidy up; SIGTERM follows.
        case reported(terminateAt: Int64)
        /// Has time until this elapsed instant, then ends for this reason.
        case granted(until: Int64, StopReason)
        /// Was told to stop; SIGTERM follows.
        case told(StopReason, terminateAt: Int64)
        /// Was sent SIGTERM; SIGKILL follows.
        case terminated(killAt: Int64)
        /// Was sent SIGKILL; waits only for the kernel.
        case killed

        private var position: Int {
            switch self {
            case .waiting, .granted: 0
            case .asserting: 1
            case .reported: 2
            case .told: 3
            case .terminated: 4
            case .killed: 5
            }
        }

        package var name: String {
            switch self {
            case .waiting: "waiting"
            case .granted: "granted"
            case .asserting: "asserting"
            case .reported: "reported"
            case .told: "expiring"
            case .terminated: "terminated"
            case .killed: "killed"
            }
        }

        /// The reason for its expiry, past or future.
        package var reason: StopReason? {
            switch self {
            case .granted(_, let reason), .told(let reason, _): reason
            case .waiting, .asserting, .reported, .terminated, .killed: nil
            }
        }

        /// Whether it was told that its time is over.
        package var isExpiring: Bool { position >= Rung.told(.time, terminateAt: 0).position }

        /// The elapsed instant at which it ends without an event; nil while it waits to begin, and for the last one.
        fileprivate var end: Int64? {
            switch self {
            case .granted(let end, _), .asserting(let end), .reported(let end), .told(_, let end),
                .terminated(let end):
                end
            case .waiting, .killed: nil
            }
        }

        /// Whether the ladder may lead here from `earlier`.
        fileprivate func follows(_ earlier: Rung) -> Bool { position >= earlier.position }
    }

    init(
        _ attempt: Attempt, task: Int, requestClass: RequestClass, grace: Interval, isForced: Bool,
        progress: ProgressWatch?
    ) {
        self.init(
            attempt: attempt, task: task, grace: grace, isForced: isForced, spendingSince: nil,
            hasFollower: false, progress: progress, assertions: [], hasLeakedAssertion: false,
            rung: .granted(until: attempt.deadlineElapsed, .time))
        self.requestClass = requestClass
    }

    /// An attempt of a snapshot.
    package init(
        attempt: Attempt, task: Int, grace: Interval, isForced: Bool, spendingSince: Int64?,
        hasFollower: Bool, progress: ProgressWatch?, assertions: [Int64],
        hasLeakedAssertion: Bool, rung: Rung
    ) {
        self.attempt = attempt
        self.task = task
        self.grace = grace
        self.isForced = isForced
        self.spendingSince = spendingSince
        self.hasFollower = hasFollower
        self.progress = progress
        self.assertions = assertions
        self.hasLeakedAssertion = hasLeakedAssertion
        self.rung = rung
    }

    /// The same attempt of the task with this index and these requirements.
    func moved(to task: Int, _ requestClass: RequestClass) -> RunningAttempt {
        var moved = self
        moved.task = task
        moved.requestClass = requestClass
        return moved
    }

    /// The same attempt in a snapshot, which holds no request classes.
    var forSnapshot: RunningAttempt { moved(to: task, RequestClass(conditions: [])) }

    var kind: TaskKind { attempt.request.kind }

    var isGranted: Bool { if case .granted = rung { true } else { false } }

    var isWaiting: Bool { rung == .waiting }

    /// Whether its time has run out or its progress stalled, and it was not told yet.
    func isOver(at elapsed: Int64) -> Bool {
        switch rung {
        case .granted(let deadline, _):
            deadline <= elapsed || progress?.isStalled(at: elapsed) ?? false
        case .asserting(let deadline): deadline <= elapsed
        case .waiting, .reported, .told, .terminated, .killed: false
        }
    }

    /// The elapsed instant of the next step; nil on the last rung.
    var deadline: Int64? {
        guard let end = rung.end else { return nil }
        return isGranted ? min(end, progress?.deadline ?? .max) : end
    }

    /// When its rung ends without an event, by the calendar clock at the launch; nil while it waits to begin, and for the last one.
    package var until: WallTime? {
        rung.end.map {
            let launched = attempt.launched
            let length = Interval(nanoseconds: $0.saturatingSubtracting(launched.elapsed))
            return launched.wall.advanced(by: length)
        }
    }

    /// Its launch was delayed until now: restarts everything that counts from the launch.
    mutating func launch(at now: Instant, policy: Policy) {
        let delay = now.elapsed.saturatingSubtracting(attempt.launched.elapsed)
        attempt = attempt.launched(at: now)
        if case .granted(let end, let reason) = rung {
            rung = .granted(until: end.saturatingAdding(delay), reason)
        }
        if spendingSince != nil { spendingSince = now.elapsed }
        if progress != nil { progress = ProgressWatch(launchedAt: now.elapsed, policy: policy) }
    }

    var timeLimit: Interval {
        Interval(
            nanoseconds: attempt.deadlineElapsed.saturatingSubtracting(attempt.launched.elapsed))
    }

    /// Its worker runs another attempt first.
    mutating func wait() {
        if isGranted { rung = .waiting }
    }

    /// Its worker is free: its full time begins now.
    mutating func begin(at now: Instant, policy: Policy) {
        guard isWaiting else { return }
        let deadline = now.elapsed.saturatingAdding(timeLimit.nanoseconds)
        rung = .granted(until: deadline, .time)
        if progress != nil { progress = ProgressWatch(launchedAt: now.elapsed, policy: policy) }
    }

    /// Moves the end of its time, with that reason.
    mutating func grant(until elapsed: Int64, _ reason: StopReason) {
        if isGranted { rung = .granted(until: elapsed, reason) }
    }

    /// The handler reports its progress.
    mutating func note(completed: Int64, total: Int64, at now: Instant) {
        guard isGranted else { return }
        progress?.note(completed: completed, total: total, at: now.elapsed)
    }

    /// An attempt that has reported has `grace` to return, or up to `assertionLimit` while it holds an assertion.
    mutating func linger(at now: Instant, assertionLimit: Interval) {
        guard isGranted else { return }
        rung =
            assertions.isEmpty
            ? .reported(terminateAt: now.elapsed.saturatingAdding(grace.nanoseconds))
            : .asserting(until: now.elapsed.saturatingAdding(assertionLimit.nanoseconds))
    }

    /// Apple: beginBackgroundTask. Ignored once its time is over; after its report, it does not extend the time.
    mutating func beginAssertion(_ id: Int64) {
        switch rung {
        case .granted, .asserting:
            if !assertions.contains(id) { assertions.append(id) }
        case .waiting, .reported, .told, .terminated, .killed: return
        }
    }

    /// Apple: endBackgroundTask. The last one ends the extra time.
    mutating func endAssertion(_ id: Int64, at now: Instant) {
        assertions.removeAll { $0 == id }
        guard assertions.isEmpty, case .asserting = rung else { return }
        rung = .reported(terminateAt: now.elapsed.saturatingAdding(grace.nanoseconds))
    }

    /// Revokes its time with its grace, or a shorter one; does nothing if already revoked.
    mutating func expire(
        _ reason: StopReason, atMost limit: Interval? = nil, at now: Instant
    ) -> [Action] {
        switch rung {
        case .waiting, .granted, .asserting: break
        case .reported, .told, .terminated, .killed: return []
        }
        let grace = min(self.grace, limit ?? self.grace)
        let terminateAt = now.elapsed.saturatingAdding(grace.nanoseconds)
        rung = .told(reason, terminateAt: terminateAt)
        return [
            .record(
                .expiring(identifier: attempt.request.identifier, attempt: attempt.id, reason)),
            .expire(attempt: attempt.id, reason, grace: grace, deadlineElapsed: terminateAt),
        ]
    }

    /// Time is short: grace ends at this elapsed instant at the latest, and SIGKILL follows SIGTERM after `wait`.
    mutating func hasten(to elapsed: Int64, wait: Interval) {
        switch rung {
        case .reported(let instant): rung = .reported(terminateAt: min(instant, elapsed))
        case .told(let reason, let instant):
            rung = .told(reason, terminateAt: min(instant, elapsed))
        case .terminated(let instant):
            rung = .terminated(killAt: min(instant, elapsed.saturatingAdding(wait.nanoseconds)))
        case .waiting, .granted, .asserting, .killed: break
        }
    }

    /// Descends all rungs that are due: several at once if a grace or wait is zero.
    mutating func descend(at now: Instant, policy: Policy) -> [Action] {
        var actions: [Action] = []
        while let deadline, deadline <= now.elapsed { actions += step(at: now, policy: policy) }
        return actions
    }

    private mutating func step(at now: Instant, policy: Policy) -> [Action] {
        let identifier = attempt.request.identifier
        switch rung {
        case .granted(let deadline, let reason):
            guard deadline > now.elapsed else { return expire(reason, at: now) }
            switch progress?.stage(at: now.elapsed) {
            case .moving, nil: return []
            case .stalled: return expire(.stalled, at: now)
            case .warning(let left):
                return [.record(.stalling(identifier: identifier, attempt: attempt.id, left: left))]
            }
        case .asserting:
            hasLeakedAssertion = true
            return expire(.time, at: now)
        case .told, .reported:
            rung = .terminated(
                killAt: now.elapsed.saturatingAdding(policy.terminationWait.nanoseconds))
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
        case .waiting, .killed:
            return []
        }
    }
}

extension [RunningAttempt] {
    /// The index of the attempt that runs a request of `identifier`.
    func index(of identifier: String) -> Int? {
        indices.first { self[$0].attempt.request.identifier == identifier }
    }

    func index(of attempt: Int64) -> Int? { indices.first { self[$0].attempt.id == attempt } }

    /// The elapsed instant of the next step of any of them on the expiration ladder.
    var nextDeadline: Int64? {
        var earliest: Int64?
        for index in indices {
            guard let deadline = self[index].deadline else { continue }
            earliest = Swift.min(deadline, earliest ?? .max)
        }
        return earliest
    }
}
