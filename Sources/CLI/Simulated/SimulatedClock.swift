// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunHost
import BGRunPolicy
import BGRunSimulation
import CBGRunShims

/// The clock of a simulated run. Its elapsed time counts from the scenario's beginning;
/// another object fires its timers.
final class SimulatedClock: HostClock {
    private var rate: Rate
    private let originMilliseconds: Int64
    /// The offset that was added to the calendar clock.
    private var shiftMilliseconds: Int64 = 0
    private var timers: [SimulatedTimer] = []
    private(set) var asleep: Int64 = 0
    /// Called after a timer is set.
    var timerSet: () -> Void = {}

    /// `origin`: the beginning, in milliseconds since 1970 (UTC).
    init(_ mode: Rate.Mode, originMilliseconds: Int64) {
        rate = Rate(mode, from: 0, machine: bgrun_boottime_ns())
        self.originMilliseconds = originMilliseconds
    }

    var now: Instant {
        let elapsed = rate.now(machine: bgrun_boottime_ns())
        return Instant(
            elapsed: elapsed,
            wall: WallTime(
                milliseconds: originMilliseconds.saturatingAdding(elapsed / 1_000_000)
                    .saturatingAdding(shiftMilliseconds)))
    }

    func boottime(at elapsed: Int64) -> Int64 {
        rate.machine(at: elapsed, machine: bgrun_boottime_ns())
    }

    func timer(
        _ loop: EventLoop, fire: @escaping () -> Void
    ) throws(SystemFailure) -> any HostTimer {
        let timer = SimulatedTimer(fire) { [unowned self] in timerSet() }
        timers.append(timer)
        return timer
    }

    /// Sets the time to the scenario's beginning.
    func begin() { rate = Rate(rate.mode, from: 0, machine: bgrun_boottime_ns()) }

    var standsStill: Bool { rate.standsStill }

    /// Starts or stops a virtual clock.
    func run(_ isRunning: Bool) { rate.run(isRunning, machine: bgrun_boottime_ns()) }

    /// Moves on to `elapsed`, unless that has passed.
    func skip(to elapsed: Int64) { rate.skip(to: elapsed, machine: bgrun_boottime_ns()) }

    /// Suspends the device until `elapsed`.
    func sleep(until elapsed: Int64) {
        asleep = asleep.saturatingAdding(max(0, elapsed.saturatingSubtracting(now.elapsed)))
        skip(to: elapsed)
    }

    /// Sets the calendar clock.
    func shift(by interval: Interval) {
        shiftMilliseconds = shiftMilliseconds.saturatingAdding(interval.nanoseconds / 1_000_000)
    }

    /// The due time of the next timer.
    var nextTimer: Int64? { timers.compactMap(\.due).min() }

    /// Fires the timers that are due at `elapsed`.
    func fireTimers(at elapsed: Int64) {
        for timer in timers { timer.fireIfDue(at: elapsed) }
    }
}

private final class SimulatedTimer: HostTimer {
    private(set) var due: Int64?
    private let fire: () -> Void
    private let wasSet: () -> Void

    init(_ fire: @escaping () -> Void, wasSet: @escaping () -> Void) {
        self.fire = fire
        self.wasSet = wasSet
    }

    func set(elapsed: Int64?) {
        due = elapsed
        wasSet()
    }

    func fireIfDue(at elapsed: Int64) {
        guard let due, due <= elapsed else { return }
        self.due = nil
        fire()
    }
}
