// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import CBGRunShims
import Glibc

/// The machine's clocks.
package struct SystemClock {
    package init() {}

    /// How long the machine has slept since boot, in nanoseconds.
    package var asleep: Int64 { bgrun_boottime_ns() - bgrun_monotonic_ns() }

    package var now: Instant {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Instant(
            elapsed: bgrun_boottime_ns(),
            wall: WallTime(
                milliseconds: Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000))
    }
}
