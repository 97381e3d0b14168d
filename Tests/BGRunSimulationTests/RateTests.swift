// SPDX-License-Identifier: Apache-2.0

import BGRunSimulation
import Testing

@Suite("The rate of simulated time", .timeLimit(.minutes(10)))
struct RateTests {
    @Test("a virtual clock stops until something runs, then advances with its factor")
    func virtual() {
        var rate = Rate(.virtual(3), from: 100, machine: 1_000)
        #expect(rate.standsStill)
        #expect(rate.now(machine: 9_000) == 100)
        rate.run(true, machine: 2_000)
        #expect(rate.now(machine: 2_010) == 130)
        rate.run(true, machine: 2_010)
        #expect(rate.now(machine: 2_020) == 160)
        rate.run(false, machine: 2_020)
        #expect(rate.now(machine: 5_000) == 160)
    }

    @Test("a scaled clock always advances")
    func scaled() {
        var rate = Rate(.scaled(60), from: 0, machine: 1_000)
        #expect(!rate.standsStill)
        rate.run(false, machine: 1_001)
        #expect(rate.now(machine: 1_010) == 600)
    }

    @Test("time advances, never backwards", arguments: [Rate.Mode.virtual(1), .scaled(2)])
    func skip(_ mode: Rate.Mode) {
        var rate = Rate(mode, from: 50, machine: 0)
        rate.skip(to: 40, machine: 0)
        #expect(rate.now(machine: 0) == 50)
        rate.skip(to: 1_000, machine: 0)
        #expect(rate.now(machine: 0) == 1_000)
    }

    @Test(
        "simulated time reaches an instant at the machine's time for it, not long before",
        arguments: [Int64(1), 7, 60, 100_000])
    func machine(_ factor: Int64) {
        for instant in stride(from: Int64(0), through: 1_000_000, by: 99_991) {
            let rate = Rate(.scaled(factor), from: 0, machine: 5)
            let machine = rate.machine(at: instant, machine: 77)
            #expect(rate.now(machine: machine) >= instant)
            #expect(instant == 0 || rate.now(machine: machine - 1) < instant)
        }
    }

    @Test("a deadline that is set while time stands still counts from when it advances")
    func deadlineAtRest() {
        var rate = Rate(.virtual(10), from: 500, machine: 0)
        let deadline = rate.machine(at: 700, machine: 4_000)
        #expect(deadline == 4_020)
        rate.run(true, machine: 4_000)
        #expect(rate.now(machine: deadline) == 700)
    }

    @Test("an instant beyond every clock is never reached, and does not overflow")
    func overflow() {
        let rate = Rate(.scaled(100_000), from: 10, machine: 0)
        #expect(rate.now(machine: .max) == .max)
        #expect(Rate(.virtual(1), from: -5, machine: 0).machine(at: .max, machine: 9) == .max)
    }
}
