// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunHost
import BGRunPolicy
import Testing

/// A clock that a test advances.
final class TestClock: HostClock {
    private final class Timer: HostTimer {
        var due: Int64?
        let fire: () -> Void

        init(_ fire: @escaping () -> Void) { self.fire = fire }

        func set(elapsed: Int64?) { due = elapsed }
    }

    private final class Watch {
        let changed: () -> Void

        init(_ changed: @escaping () -> Void) { self.changed = changed }
    }

    private weak var watch: Watch?

    private(set) var now = Instant(
        elapsed: 1_000_000_000_000, wall: WallTime(milliseconds: 1_800_000_000_000))
    var asleep: Int64 = 0
    private var timers: [Timer] = []

    func timer(
        _ loop: EventLoop, fire: @escaping () -> Void
    ) throws(SystemFailure) -> any HostTimer {
        let timer = Timer(fire)
        timers.append(timer)
        return timer
    }

    func watch(
        _ loop: EventLoop, changed: @escaping () -> Void
    ) throws(SystemFailure) -> AnyObject {
        let watch = Watch(changed)
        self.watch = watch
        return watch
    }

    func boottime(at elapsed: Int64) -> Int64 { elapsed }

    /// The time of the earliest timer.
    var nextTimer: Int64? { timers.compactMap(\.due).min() }

    /// Advances both clocks, and fires every timer that becomes due, at its time.
    func advance(by interval: Interval) {
        let end = now.elapsed + interval.nanoseconds
        var fired = 0
        while let timer = timers.filter({ $0.due ?? .max <= end })
            .min(by: { $0.due ?? .max < $1.due ?? .max }), let due = timer.due
        {
            fired += 1
            guard fired < 10_000 else {
                Issue.record("timers fire without end")
                return
            }
            timer.due = nil
            move(to: max(due, now.elapsed))
            timer.fire()
        }
        move(to: end)
    }

    /// Advances both clocks as during sleep of the machine.
    func sleep(_ interval: Interval) {
        asleep += interval.nanoseconds
        move(to: now.elapsed + interval.nanoseconds)
    }

    /// Sets the calendar clock forward.
    func setForward(by interval: Interval) {
        now = Instant(elapsed: now.elapsed, wall: now.wall.advanced(by: interval))
        watch?.changed()
    }

    private func move(to elapsed: Int64) {
        let passed = elapsed - now.elapsed
        now = Instant(
            elapsed: elapsed, wall: now.wall.advanced(by: Interval(nanoseconds: passed)))
    }
}
