// SPDX-License-Identifier: Apache-2.0

/// The rate of simulated time relative to the machine's. Both in nanoseconds; the machine's may be any clock that
/// is never set.
package struct Rate: Equatable, Sendable {
    package enum Mode: Equatable, Sendable {
        /// Stands still while nothing runs, and can be moved on then; otherwise this many times as fast as the
        /// machine's, at least 1.
        case virtual(Int64)
        /// Always this many times as fast as the machine's, at least 1.
        case scaled(Int64)
    }

    package let mode: Mode
    /// The simulated instant at `anchor`.
    private var simulated: Int64
    /// The machine's instant; nil while simulated time stands still.
    private var anchor: Int64?

    /// Begins at `simulated`; a virtual rate stands still, a scaled one runs.
    package init(_ mode: Mode, from simulated: Int64, machine: Int64) {
        self.mode = mode
        self.simulated = simulated
        if case .scaled = mode { anchor = machine }
    }

    private var factor: Int64 {
        switch mode {
        case .virtual(let factor), .scaled(let factor): factor
        }
    }

    package var standsStill: Bool { anchor == nil }

    /// The simulated instant at `machine`, an instant of the machine's clock.
    package func now(machine: Int64) -> Int64 {
        guard let anchor else { return simulated }
        let passed = (machine - anchor).multipliedReportingOverflow(by: factor)
        return passed.overflow ? .max : simulated + passed.partialValue
    }

    /// The machine's instant at the simulated `instant`, rounded up; while time stands still, as if it continued
    /// now.
    package func machine(at instant: Int64, machine: Int64) -> Int64 {
        let distance = instant.subtractingReportingOverflow(simulated)
        guard !distance.overflow else { return .max }
        let whole = distance.partialValue / factor
        let part = distance.partialValue % factor > 0 ? 1 : 0
        let sum = (anchor ?? machine).addingReportingOverflow(whole + Int64(part))
        return sum.overflow ? .max : sum.partialValue
    }

    /// Continues, or stands still, from now on. No effect on a scaled rate.
    package mutating func run(_ isRunning: Bool, machine: Int64) {
        guard case .virtual = mode, isRunning == standsStill else { return }
        simulated = now(machine: machine)
        anchor = isRunning ? machine : nil
    }

    /// Moves on to `instant`, unless that has passed.
    package mutating func skip(to instant: Int64, machine: Int64) {
        guard instant > now(machine: machine) else { return }
        simulated = instant
        if anchor != nil { anchor = machine }
    }
}
