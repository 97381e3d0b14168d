// SPDX-License-Identifier: Apache-2.0

import BGRunSystem
import Glibc

enum DescriptorShortage {
    /// At least as many as libcurl opens at once: a socket, a pair for the resolver thread, and certificate files.
    private static let margin: UInt64 = 8

    /// Whether this process or the machine has fewer free descriptors. Those of a try that has just failed are free
    /// again.
    static var isNear: Bool {
        guard let open = Directory.names(in: "/proc/self/fd") else { return isShortage(errno) }
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return false
        }
        // The directory itself is not counted.
        return limit.rlim_cur < UInt64(max(1, open.count) - 1) + margin  // fits: a count
    }
}
