// SPDX-License-Identifier: Apache-2.0

import CBGRunShims
import Glibc

/// Wakes the watcher once, to report progress that came too soon after the last report.
struct ProgressTimer: Sendable {
    static let shared = ProgressTimer()

    let descriptor = timerfd_create(CLOCK_MONOTONIC, Int32(TFD_CLOEXEC))

    func arm(after nanoseconds: Int64) {
        var time = itimerspec()
        time.it_value.tv_nsec = Int(nanoseconds)
        timerfd_settime(descriptor, 0, &time, nil)
    }

    /// Records that it has fired.
    func acknowledge() {
        var count: UInt64 = 0
        read(descriptor, &count, MemoryLayout<UInt64>.size)
    }
}
