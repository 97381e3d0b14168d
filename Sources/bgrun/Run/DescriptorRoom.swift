// SPDX-License-Identifier: Apache-2.0

import BGRunCore
import CBGRunShims

/// Raises the descriptor limit of this process to the maximum. Its children get the original limit,
/// because select(2), and programs that close every possible descriptor, cannot handle a high one.
struct DescriptorRoom {
    /// The soft limit before; nil when it is not known.
    let before: UInt64?
    /// The limit now.
    let limit: Int64

    /// The descriptors of a worker, and those of a host without workers including its reserve.
    private static let ofWorker: Int64 = 5
    private static let ofHost: Int64 = 64

    static func raise() -> DescriptorRoom {
        let most = bgrun_most_descriptors()
        let before = bgrun_limit_descriptors(0, UInt64(clamping: most))
        return DescriptorRoom(
            before: before > 0 ? UInt64(clamping: before) : nil,
            limit: bgrun_limit_descriptors(0, 0))
    }

    /// Warns that fewer attempts fit than the policy allows; attempts then wait for each other.
    func warning(for policy: Policy) -> String? {
        let attempts = policy.concurrentAttempts + policy.concurrentContinued
        let fit = max(1, (limit - Self.ofHost) / Self.ofWorker)
        guard limit > 0, Int64(attempts) > fit else { return nil }
        return
            "At most \(fit) attempts can run at once: this process may open \(limit) files; raise "
            + "LimitNOFILE (ulimit -n), or lower `concurrent_attempts` in the policy"
    }
}
