// SPDX-License-Identifier: Apache-2.0

/// The resource of the machine, or of the host's own limits, that did not suffice to start a worker or its command.
package enum Resource: UInt8, Equatable, Sendable, CaseIterable {
    /// EMFILE, ENFILE.
    case descriptors
    /// EAGAIN of a spawn: RLIMIT_NPROC, pids.max of the cgroup, or the process table is full.
    case processes
    /// ENOMEM, ENOBUFS.
    case memory

    package var name: String {
        switch self {
        case .descriptors: "file descriptors"
        case .processes: "processes"
        case .memory: "memory"
        }
    }

    package var shortage: String {
        switch self {
        case .descriptors, .processes: "too few \(name)"
        case .memory: "too little \(name)"
        }
    }

    /// The setting that limits it.
    package var remedy: String {
        switch self {
        case .descriptors: "raise LimitNOFILE (ulimit -n), or lower `concurrent_attempts`"
        case .processes: "raise TasksMax or LimitNPROC (ulimit -u), or lower `concurrent_attempts`"
        case .memory: "free memory, or lower `concurrent_attempts`"
        }
    }
}

/// No worker could be started: requests wait, attempts continue, and launches are retried less and less often.
package struct Shortage: Equatable, Sendable {
    package var resource: Resource
    /// The number of attempts that may run during the shortage.
    package var limit: Int
    /// When one more attempt is tried, on the elapsed clock.
    package var retryAt: Int64
    /// The delay before that, doubled with each failed try.
    package var wait: Interval
    package var since: WallTime

    package init(resource: Resource, limit: Int, retryAt: Int64, wait: Interval, since: WallTime) {
        self.resource = resource
        self.limit = limit
        self.retryAt = retryAt
        self.wait = wait
        self.since = since
    }

    /// The shortage after an attempt launched at `launched` lacked a resource, while `running` others ran. One that was
    /// launched before the shortage was known does not make the wait longer.
    static func noted(
        _ resource: Resource, launched: WallTime, after last: Shortage?, running: Int,
        at now: Instant, policy: Policy
    ) -> Shortage {
        let wait = min(
            last.map { launched < $0.since ? $0.wait : $0.wait.multiplied(by: 2) }
                ?? policy.shortageWait,
            policy.shortageWaitMaximum)
        return Shortage(
            resource: resource, limit: running,
            retryAt: now.elapsed.saturatingAdding(wait.nanoseconds), wait: wait,
            since: last?.since ?? now.wall)
    }

    /// Allows more attempts, with a short delay while launches succeed. Nil: `all` may run again.
    func relaxed(at now: Instant, all: Int, policy: Policy) -> Shortage? {
        var next = self
        next.limit = limit > all / 2 ? all : limit * 2 + 1
        next.retryAt = now.elapsed.saturatingAdding(policy.shortageWait.nanoseconds)
        return next.limit < all ? next : nil
    }
}
