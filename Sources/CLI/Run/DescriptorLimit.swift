// SPDX-License-Identifier: Apache-2.0

import BGRunHost
import BGRunPolicy
import BGRunSystem
import CBGRunShims
import Glibc

/// Raises the descriptor limit of this process to the maximum. Its children get the original limit,
/// because select(2), and programs that close every possible descriptor, cannot handle a high one.
struct DescriptorLimit {
    /// The soft limit before; nil when it is not known.
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

    /// Warns that fewer attempts fit than the policy allows; attempts then wait for each other.
    func warning(for policy: Policy) -> String? {
        AttemptLimits(files: limit, processes: Self.processes, tasks: Self.tasks)
            .warning(for: policy)
    }

    /// The limit of the user's processes; root has none.
    private static var processes: Int64? {
        var limit = rlimit()
        guard geteuid() != 0, getrlimit(__rlimit_resource_t(__RLIMIT_NPROC.rawValue), &limit) == 0
        else { return nil }
        return Int64(clamping: limit.rlim_cur)
    }

    /// The limit of the cgroup that this process is in; nil without one, or where it cannot be read.
    private static var tasks: Int64? {
        let unified = ProcFile.text("/proc/self/cgroup").split(separator: "\n")
            .first { $0.hasPrefix("0::/") }
        guard let unified else { return nil }
        let text = ProcFile.text("/sys/fs/cgroup\(unified.dropFirst(3))/pids.max")
        return Int64(text.split(separator: "\n").first ?? "")
    }
}
