// SPDX-License-Identifier: Apache-2.0

import CBGRunShims
import Glibc

/// Reports when the calendar clock is set, which shifts dates against the elapsed clock.
package final class ClockWatch {
    private let descriptor: WatchedDescriptor

    package init(_ loop: EventLoop, changed: @escaping () -> Void) throws(SystemFailure) {
        let timer = try SystemFailure.check(
            "timerfd_create",
            timerfd_create(CLOCK_REALTIME, Int32(TFD_CLOEXEC) | Int32(TFD_NONBLOCK)))
        ClockWatch.arm(timer)
        descriptor = try WatchedDescriptor(loop, timer) { timer in
            var count: UInt64 = 0
            // ECANCELED: the clock was set.
            let length = read(timer, &count, MemoryLayout<UInt64>.size)
            guard length > 0 || errno == ECANCELED else { return }
            ClockWatch.arm(timer)
            changed()
        }
    }

    /// A timer that never fires, and that the kernel cancels when the clock is set.
    private static func arm(_ descriptor: Int32) {
        var time = itimerspec()
        time.it_value.tv_sec = Int.max >> 16
        let cancelOnSet: Int32 = 1 << 1
        timerfd_settime(descriptor, Int32(TFD_TIMER_ABSTIME) | cancelOnSet, &time, nil)
    }
}
