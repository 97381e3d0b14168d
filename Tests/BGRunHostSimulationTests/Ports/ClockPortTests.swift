// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunHost
import BGRunHostSimulation
import BGRunPolicy
import BGRunSystem
import Testing

@Suite("The clock port", .timeLimit(.minutes(5)))
struct ClockPortTests {
    enum Arm: String, CaseIterable {
        case real
        case simulated
    }

    /// A clock with its loop; simulated time advances when the loop would block.
    private final class Bench {
        let loop: EventLoop
        let clock: any HostClock
        var fired: [String] = []
        private var timers: [any HostTimer] = []

        init(_ arm: Arm) throws {
            guard arm == .simulated else {
                (loop, clock) = (try EventLoop(), SystemClock())
                return
            }
            let (time, poller) = (SimulatedTime(), SimulatedPoller())
            let simulated = SimulatedClock(time)
            loop = EventLoop(poller)
            clock = simulated
            poller.idle = { [unowned loop] in
                guard let due = simulated.nextDue else { return loop.stop() }
                time.pass(max(0, due - time.elapsed))
                _ = simulated.fireDue()
            }
        }

        /// A timer that records `name`; the last one stops the loop.
        func timer(_ name: String, isLast: Bool = false) throws -> any HostTimer {
            let timer = try clock.timer(loop) { [unowned self] in
                fired.append(name)
                if isLast { loop.stop() }
            }
            timers.append(timer)
            return timer
        }

        /// The elapsed time in `milliseconds`.
        func soon(_ milliseconds: Int64) -> Int64 { clock.now.elapsed + milliseconds * 1_000_000 }
    }

    @Test(
        "timers fire in the order of their times, each once and not early",
        arguments: Arm.allCases)
    func order(arm: Arm) throws {
        let bench = try Bench(arm)
        let (last, b, a) = (
            try bench.timer("last", isLast: true), try bench.timer("b"), try bench.timer("a")
        )
        var end: Int64
        repeat {
            // Repeated if the first time has passed before all timers are set.
            let now = bench.clock.now.elapsed
            end = now + 12_000_000
            last.set(elapsed: end)
            b.set(elapsed: now + 8_000_000)
            a.set(elapsed: now + 2_000_000)
        } while bench.clock.now.elapsed > end - 10_000_000
        bench.loop.run()
        #expect(bench.fired == ["a", "b", "last"])
        #expect(bench.clock.now.elapsed >= end)
    }

    @Test(
        "a timer that is set again fires at its new time; a cancelled one does not",
        arguments: Arm.allCases)
    func again(arm: Arm) throws {
        let bench = try Bench(arm)
        let (moved, unset) = (try bench.timer("moved"), try bench.timer("unset"))
        let (middle, last) = (try bench.timer("middle"), try bench.timer("last", isLast: true))
        var start: Int64
        repeat {
            start = bench.clock.now.elapsed
            moved.set(elapsed: start + 1_000_000)
            moved.set(elapsed: start + 6_000_000)
            unset.set(elapsed: start + 1_000_000)
            unset.set(elapsed: nil)
            middle.set(elapsed: start + 3_000_000)
            last.set(elapsed: start + 9_000_000)
        } while bench.clock.now.elapsed > start + 3_000_000
        bench.loop.run()
        #expect(bench.fired == ["middle", "moved", "last"])
    }

    @Test("a timer for a past time fires at once", arguments: Arm.allCases)
    func passed(arm: Arm) throws {
        let bench = try Bench(arm)
        try bench.timer("passed", isLast: true).set(elapsed: 1)
        bench.loop.run()
        #expect(bench.fired == ["passed"])
    }

    @Test("a timer may set itself", arguments: Arm.allCases)
    func itself(arm: Arm) throws {
        let bench = try Bench(arm)
        var left = 3
        var timer: (any HostTimer)?
        timer = try bench.clock.timer(bench.loop) {
            left -= 1
            if left == 0 { bench.loop.stop() } else { timer?.set(elapsed: bench.soon(1)) }
        }
        timer?.set(elapsed: bench.soon(1))
        bench.loop.run()
        #expect(left == 0)
    }

    @Test("elapsed time increases, and equals the elapsed time of workers", arguments: Arm.allCases)
    func now(arm: Arm) throws {
        let bench = try Bench(arm)
        let before = bench.clock.now
        try bench.timer("last", isLast: true).set(elapsed: bench.soon(2))
        bench.loop.run()
        #expect(bench.clock.now.elapsed >= before.elapsed + 2_000_000)
        #expect(bench.clock.boottime(at: 12_345) == 12_345)
        // `asleep` is the difference of two clocks, which are read one after the other.
        #expect(bench.clock.asleep > -100_000_000)
    }

    @Test("simulated sleep moves both clocks, and a step of the calendar clock is reported")
    func simulated() throws {
        let time = SimulatedTime()
        let clock = SimulatedClock(time)
        let loop = EventLoop(SimulatedPoller())
        var told = 0
        var watch: AnyObject? = try clock.watch(loop) { told += 1 }
        let before = time.now
        time.sleep(.seconds(5))
        #expect(
            time.now
                == Instant(
                    elapsed: before.elapsed + 5_000_000_000,
                    wall: before.wall.advanced(by: .seconds(5))))
        #expect(clock.asleep == 5_000_000_000)
        time.step(by: .seconds(-60))
        clock.tellOfStep()
        #expect(told == 1 && watch != nil)
        watch = nil
        clock.tellOfStep()
        #expect(told == 1)
    }
}
