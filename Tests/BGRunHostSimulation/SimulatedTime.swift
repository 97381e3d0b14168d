// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunHost
import BGRunPolicy

/// The time of a simulated machine. Only the simulation advances it.
package final class SimulatedTime {
    /// Nanoseconds since the machine started, including sleep.
    public private(set) var elapsed: Int64 = 5_000_000_000
    /// The calendar clock.
    public private(set) var wall = WallTime(milliseconds: 1_800_000_000_000)
    /// Nanoseconds that the machine has slept since it started.
    public private(set) var asleep: Int64 = 0
    /// Nanoseconds that are not yet in the calendar clock, less than a millisecond.
    private var rest: Int64 = 0

    package init() {}

    package var now: Instant { Instant(elapsed: elapsed, wall: wall) }

    /// The time in which processes run: it stops while the machine sleeps.
    package var active: Int64 { elapsed - asleep }

    package func pass(_ nanoseconds: Int64) {
        elapsed += nanoseconds
        rest += nanoseconds
        wall = wall.advanced(by: .milliseconds(rest / 1_000_000))
        rest %= 1_000_000
    }

    package func sleep(_ interval: Interval) {
        asleep += interval.nanoseconds
        pass(interval.nanoseconds)
    }

    /// Sets the calendar clock.
    package func step(by interval: Interval) {
        wall = wall.advanced(by: interval)
    }

    /// Restarts the machine after `off`.
    package func reboot(after off: Interval) {
        pass(off.nanoseconds)
        elapsed = 5_000_000_000
        asleep = 0
    }
}

/// The clock of one host, in simulated time.
package final class SimulatedClock: HostClock {
    private final class Timer: HostTimer {
        var due: Int64?
        let fire: () -> Void

        init(_ fire: @escaping () -> Void) { self.fire = fire }

        func set(elapsed: Int64?) { due = elapsed }
    }

    /// Exists as long as its holder observes the calendar clock.
    private final class Watch {
        let changed: () -> Void

        init(_ changed: @escaping () -> Void) { self.changed = changed }
    }

    private struct Held<Object: AnyObject> {
        weak var object: Object?
    }

    private let time: SimulatedTime
    private var timers: [Held<Timer>] = []
    private var watches: [Held<Watch>] = []

    package init(_ time: SimulatedTime) {
        self.time = time
    }

    package var now: Instant { time.now }
    package var asleep: Int64 { time.asleep }

    package func boottime(at elapsed: Int64) -> Int64 { elapsed }

    package func timer(
        _ loop: EventLoop, fire: @escaping () -> Void
    ) throws(SystemFailure) -> any HostTimer {
        let timer = Timer(fire)
        timers.append(Held(object: timer))
        return timer
    }

    package func watch(
        _ loop: EventLoop, changed: @escaping () -> Void
    ) throws(SystemFailure) -> AnyObject {
        let watch = Watch(changed)
        watches.append(Held(object: watch))
        return watch
    }

    /// The time of the next timer.
    package var nextDue: Int64? {
        var next: Int64?
        for held in timers {
            guard let due = held.object?.due else { continue }
            next = min(due, next ?? .max)
        }
        return next
    }

    /// Fires one due timer. Returns false if no timer is due.
    package func fireDue() -> Bool {
        var next: Timer?
        for case let timer? in timers.map(\.object) {
            guard let due = timer.due, due <= time.elapsed else { continue }
            if next.map({ due < $0.due ?? .max }) ?? true { next = timer }
        }
        guard let next else { return false }
        next.due = nil
        next.fire()
        return true
    }

    /// Reports a step of the calendar clock.
    package func tellOfStep() {
        for watch in watches.compactMap(\.object) { watch.changed() }
    }
}
