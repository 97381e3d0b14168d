// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunPolicy
import BGRunSystem

/// The host's source of time. A simulation has its own.
package protocol HostClock {
    var now: Instant { get }

    /// How long the machine has slept since boot, in nanoseconds.
    var asleep: Int64 { get }

    /// A timer on `now.elapsed`; `fire` is called on the loop's thread.
    func timer(_ loop: EventLoop, fire: @escaping () -> Void) throws(SystemFailure) -> any HostTimer

    /// Calls `changed` on the loop's thread when the calendar clock is set, until the result is released.
    func watch(_ loop: EventLoop, changed: @escaping () -> Void) throws(SystemFailure) -> AnyObject

    /// CLOCK_BOOTTIME at `elapsed`: workers know no other clock.
    func boottime(at elapsed: Int64) -> Int64
}

extension HostClock {
    /// The implementation for the clocks of the machine.
    package func watch(
        _ loop: EventLoop, changed: @escaping () -> Void
    ) throws(SystemFailure) -> AnyObject {
        try ClockWatch(loop, changed: changed)
    }
}

/// A timer of a host's clock; fires once.
package protocol HostTimer: AnyObject {
    /// Fires at `elapsed`, in nanoseconds; at once if that has passed. Nil: never.
    func set(elapsed: Int64?)
}

extension LoopTimer: HostTimer {}

extension SystemClock: HostClock {
    package func timer(
        _ loop: EventLoop, fire: @escaping () -> Void
    ) throws(SystemFailure) -> any HostTimer {
        try LoopTimer(loop, fire: fire)
    }

    package func boottime(at elapsed: Int64) -> Int64 { elapsed }
}
