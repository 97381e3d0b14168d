// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// The number of workers, and so of attempts at once, that the limits of the operating system allow.
package struct AttemptLimits: Equatable, Sendable {
    /// Open files of this process; nil: unlimited or unknown.
    var files: Int64?
    /// Processes and threads of the user.
    var processes: Int64?
    /// Processes and threads of the cgroup.
    var tasks: Int64?

    package init(files: Int64? = nil, processes: Int64? = nil, tasks: Int64? = nil) {
        self.files = files
        self.processes = processes
        self.tasks = tasks
    }

    /// The descriptors of a worker, of which three are of bgrun-init's reports and processes, and those of a host without
    /// workers including its reserve. The manifest may confine any task later.
    private static let filesOfWorker: Int64 = 8
    private static let filesOfHost: Int64 = 64
    /// The threads of a worker with a command of its handler and a child of that, two processes of bgrun-init, and the
    /// processes beside the workers.
    private static let processesOfWorker: Int64 = 7
    private static let processesOfHost: Int64 = 8

    private typealias Bound = (workers: Int64, resource: Resource, limit: String, remedy: String)

    private var bounds: [Bound] {
        func bound(
            _ resource: Resource, _ limit: Int64?, _ host: Int64, _ worker: Int64,
            _ text: (Int64) -> String, _ remedy: String
        ) -> Bound? {
            guard let limit, limit > 0 else { return nil }
            let rest = limit > host ? limit - host : 0
            return (max(1, rest / worker), resource, text(limit), remedy)
        }
        return [
            bound(
                .descriptors, files, Self.filesOfHost, Self.filesOfWorker,
                { "this process may open \($0) files" }, "LimitNOFILE (ulimit -n)"),
            bound(
                .processes, processes, Self.processesOfHost, Self.processesOfWorker,
                { "this user may have \($0) processes and threads" }, "LimitNPROC (ulimit -u)"),
            bound(
                .processes, tasks, Self.processesOfHost, Self.processesOfWorker,
                { "this cgroup, or one above it, may have \($0) processes and threads" },
                "TasksMax (pids.max)"),
        ].compactMap(\.self)
    }

    private var lowest: Bound? { bounds.min { $0.workers < $1.workers } }

    /// The lowest number of workers that a limit allows; nil: unlimited.
    var bound: (workers: Int, resource: Resource)? {
        lowest.map { (Int(clamping: $0.workers), $0.resource) }
    }

    /// A warning that the lowest limit allows fewer attempts than the policy; attempts then wait
    /// for each other.
    package func warning(for policy: Policy) -> String? {
        // fits: both are below 2^53
        let attempts = policy.concurrentAttempts + policy.concurrencyLimits.continued
        guard let lowest, Int64(attempts) > lowest.workers else { return nil }
        return
            "At most \(lowest.workers) attempt\(lowest.workers == 1 ? "" : "s") can run at once: "
            + "\(lowest.limit); raise "
            + "\(lowest.remedy), or lower `concurrent_attempts` in the policy"
    }
}
