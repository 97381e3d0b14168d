// SPDX-License-Identifier: Apache-2.0

import BGRunHost
import BGRunPolicy
import BGRunSystem
import CBGRunShims
import Glibc

/// Raises the descriptor limit of this process to the maximum. Its children get the original limit,
/// because select(2), and programs that close every possible descriptor, cannot handle a high one.
struct DescriptorLimit {
    /// The previous soft limit; nil: unknown.
    let before: UInt64?
    /// The limit now.
    let limit: Int64

    static func raise() -> DescriptorLimit {
        let most = bgrun_most_descriptors()
        let before = bgrun_limit_descriptors(0, UInt64(clamping: most))
        return DescriptorLimit(
            before: before > 0 ? UInt64(clamping: before) : nil,
            limit: bgrun_limit_descriptors(0, 0))
    }

    /// The limits that the operating system sets for this process.
    func attemptLimits(
        processes: Int64? = Self.processes(of: geteuid()), tasks: Int64? = Self.tasks()
    ) -> AttemptLimits {
        AttemptLimits(files: limit, processes: processes, tasks: tasks)
    }

    /// The process limit of `user`; nil for root, which has none.
    static func processes(of user: uid_t) -> Int64? {
        var limit = rlimit()
        guard user != 0, getrlimit(__rlimit_resource_t(__RLIMIT_NPROC.rawValue), &limit) == 0
        else { return nil }
        return Int64(clamping: limit.rlim_cur)
    }

    /// The lowest limit of this process's cgroup and its ancestors; nil without one, or where it cannot be
    /// read.
    ///
    /// - Parameters:
    ///   - groups: The contents of `/proc/self/cgroup`.
    ///   - root: The mount point of the unified hierarchy.
    static func tasks(
        of groups: String = ProcFile.text("/proc/self/cgroup"), in root: String = "/sys/fs/cgroup"
    ) -> Int64? {
        let unified = groups.split(separator: "\n").first { $0.hasPrefix("0::/") }
        guard let unified else { return nil }
        var path = root
        var limits = [mostTasks(in: path)]
        for name in unified.dropFirst("0::/".count).split(separator: "/") {
            path += "/\(name)"
            limits.append(mostTasks(in: path))
        }
        return limits.compactMap(\.self).min()
    }

    private static func mostTasks(in path: String) -> Int64? {
        Int64(ProcFile.text(path + "/pids.max").split(separator: "\n").first ?? "")
    }
}
