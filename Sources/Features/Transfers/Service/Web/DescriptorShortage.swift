// SPDX-License-Identifier: Apache-2.0

import BGRunSystem
import Glibc

enum DescriptorShortage {
    /// More than libcurl opens at once: a socket, a pair to the thread that resolves names, and files of
    /// certificates.
    private static let margin: UInt64 = 8

    /// Whether this process or the machine has fewer descriptors left. Those of a try that has just failed
    /// are free again.
    static var isNear: Bool {
        guard let directory = opendir("/proc/self/fd") else { return isShortage(errno) }
        defer { closedir(directory) }
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return false
        }
        var entries: UInt64 = 0
        while readdir(directory) != nil { entries += 1 }  // fits: a process has fewer descriptors
        // "." and "..", and the directory itself, are not counted.
        return limit.rlim_cur < max(3, entries) - 3 + margin  // fits: as above
    }
}
