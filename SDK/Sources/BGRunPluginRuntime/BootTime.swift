// SPDX-License-Identifier: Apache-2.0

import Glibc

/// CLOCK_BOOTTIME, the clock of the ABI's deadlines.
enum BootTime {
    /// In nanoseconds.
    static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
