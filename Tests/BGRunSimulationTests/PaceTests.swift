// SPDX-License-Identifier: Apache-2.0

import BGRunSimulation
import Testing

@Suite("The pace of simulated time")
struct PaceTests {
    @Test("a virtual clock stands still until something runs, then goes with its factor")
    func virtual() {
        var pace = Rate(.virtual(3), from: 100, machine: 1_000)
        #expect(pace.standsStill)
        #expect(pace.now(machine: 9_000) == 100)
        pace.run(true, machine: 2_000)
        #expect(pace.now(machine: 2_010) == 130)
        pace.run(true, machine: 2_010)
        #expect(pace.now(machine: 2_020) == 160)
        pace.run(false, machine: 2_020)
        #expect(pace.now(machine: 5_000) == 160)
    }

    @Test("a scaled clock goes always")
    func scaled() {
        var pace = Rate(.scaled(60), from: 0, machine: 1_000)
        #expect(!pace.standsStill)
        pace.run(false, machine: 1_001)
        #expect(pace.now(machine: 1_010) == 600)
    }

    @Test("time is moved on, never back", arguments: [Rate.Mode.virtual(1), .scaled(2)])
    func skip(_ mode: Rate.Mode) {
        var pace = Rate(mode, from: 50, machine: 0)
        pace.skip(to: 40, machine: 0)
        #expect(pace.now(machine: 0) == 50)
        pace.skip(to: 1_000, machine: 0)
        #expect(pace.now(machine: 0) == 1_000)
    }

    @Test(
        "at the machine's time of an instant, simulated time has reached it, and not long before",
        arguments: [Int64(1), 7, 60, 100_000])
    func machine(_ factor: Int64) {
        for instant in stride(from: Int64(0), through: 1_000_000, by: 99_991) {
            let pace = Rate(.scaled(factor), from: 0, machine: 5)
            let machine = pace.machine(at: instant, machine: 77)
            #expect(pace.now(machine: machine) >= instant)
            #expect(instant == 0 || pace.now(machine: machine - 1) < instant)
        }
    }

    @Test("a deadline that is given while time stands still counts from when it goes on")
    func deadlineAtRest() {
        var pace = Rate(.virtual(10), from: 500, machine: 0)
        let deadline = pace.machine(at: 700, machine: 4_000)
        #expect(deadline == 4_020)
        pace.run(true, machine: 4_000)
        #expect(pace.now(machine: deadline) == 700)
    }

    @Test("what lies beyond every clock is never reached instead of overflowing")
    func overflow() {
        let pace = Rate(.scaled(100_000), from: 10, machine: 0)
        #expect(pace.now(machine: .max) == .max)
        #expect(Rate(.virtual(1), from: -5, machine: 0).machine(at: .max, machine: 9) == .max)
    }
}
