// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunHost
import BGRunPolicy

/// The time of a simulated machine. It passes only when the simulation says so.
package final class SimulatedTime {
    /// Since the machine was started, sleep included, in nanoseconds.
    public private(set) var elapsed: Int64 = 5_000_000_000
    /// The calendar clock.
    public private(set) var wall = WallTime(milliseconds: 1_800_000_000_000)
    /// How long the machine has slept since it was started.
    public private(set) var asleep: Int64 = 0
    /// The part of a millisecond that the calendar clock does not show yet.
    private var rest: Int64 = 0

    package init() {}

    package var now: Instant { Instant(elapsed: elapsed, wall: wall) }

    /// Time in which processes run: it stands still while the machine sleeps.
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

    /// Somebody sets the calendar clock.
    package func step(by interval: Interval) {
        wall = wall.advanced(by: interval)
    }

    /// The machine starts again, after `off`.
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

    /// Exists as long as its holder wants to hear of the calendar clock.
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

    /// When the next timer goes off.
    package var nextDue: Int64? {
        var next: Int64?
        for held in timers {
            guard let due = held.object?.due else { continue }
            next = min(due, next ?? .max)
        }
        return next
    }

    /// Fires one timer that is due; false: none is.
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

    /// The calendar clock was set.
    package func tellOfStep() {
        for watch in watches.compactMap(\.object) { watch.changed() }
    }
}
