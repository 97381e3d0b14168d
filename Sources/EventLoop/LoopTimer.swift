// SPDX-License-Identifier: Apache-2.0

import CBGRunShims
import Glibc

/// A timer on the elapsed clock (CLOCK_BOOTTIME): it includes the time of suspension, and does not
/// depend on the calendar clock.
package final class LoopTimer {
    private let descriptor: WatchedDescriptor

    /// `fire` is called on the loop's thread at the set time.
    package init(_ loop: EventLoop, fire: @escaping () -> Void) throws(SystemFailure) {
        let timer = try SystemFailure.check(
            "timerfd_create",
            timerfd_create(CLOCK_BOOTTIME, Int32(TFD_CLOEXEC) | Int32(TFD_NONBLOCK)))
        descriptor = try WatchedDescriptor(loop, timer) { timer in
            var count: UInt64 = 0
            guard read(timer, &count, MemoryLayout<UInt64>.size) > 0 else { return }
            fire()
        }
    }

    /// Fires at `elapsed`, in nanoseconds; at once if that has passed. Nil: never.
    package func set(elapsed: Int64?) {
        var time = itimerspec()
        if let elapsed {
            let due = max(1, elapsed)
            time.it_value.tv_sec = Int(due / 1_000_000_000)
            time.it_value.tv_nsec = Int(due % 1_000_000_000)
        }
        timerfd_settime(descriptor.number, Int32(TFD_TIMER_ABSTIME), &time, nil)
    }
}
