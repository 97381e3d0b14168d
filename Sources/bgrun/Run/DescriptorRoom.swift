// SPDX-License-Identifier: Apache-2.0

import BGRunCore
import CBGRunShims

/// The descriptors this process may have: as many as it can get. What it starts gets the limit it had, since
/// select(2) and programs that close every possible descriptor cannot bear a high one.
struct DescriptorRoom {
    /// The soft limit before; nil when it is not known.
    let before: UInt64?
    /// The limit now.
    let limit: Int64

    /// Those of a worker, and those of a host without workers with what it keeps free.
    private static let ofWorker: Int64 = 5
    private static let ofHost: Int64 = 64

    static func raise() -> DescriptorRoom {
        let most = bgrun_most_descriptors()
        let before = bgrun_limit_descriptors(0, UInt64(clamping: most))
        return DescriptorRoom(
            before: before > 0 ? UInt64(clamping: before) : nil,
            limit: bgrun_limit_descriptors(0, 0))
    }

    /// Says that fewer attempts fit than the policy allows; they wait for each other then.
    func warning(for policy: Policy) -> String? {
        let attempts = policy.concurrentAttempts + policy.concurrentContinued
        let fit = max(1, (limit - Self.ofHost) / Self.ofWorker)
        guard limit > 0, Int64(attempts) > fit else { return nil }
        return
            "At most \(fit) attempts can run at once: this process may open \(limit) files; raise "
            + "LimitNOFILE (ulimit -n), or lower `concurrent_attempts` in the policy"
    }
}
