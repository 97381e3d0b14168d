// SPDX-License-Identifier: Apache-2.0

/// A gained condition counts after it has held for a while, a lost one after a shorter while, so that a loose cable
/// does not start and expire attempts by turns. The charge has a margin above the low gate. Readings that decide no
/// condition count at once, and so does the first state.
package struct SettleRule: Equatable, Sendable {
    /// How long a change must last before it counts.
    package struct Window: Equatable, Sendable {
        package var gained: Interval
        package var lost: Interval

        /// Every change counts at once.
        static let none = Window(gained: .zero, lost: .zero)
    }

    private var power = Settling(good: .yes)
    private var network = Settling(good: .yes)
    private var metered = Settling(good: .no)
    private var idle = Settling(good: .yes)
    private var hasBegun = false
    private var isBatteryLow = false

    package init() {}

    /// Takes the state of the device at `elapsed` and returns the settled state. Call it again at `nextChange`.
    package mutating func settle(
        _ state: DeviceState, at elapsed: Int64, policy: Policy
    ) -> DeviceState {
        let isFirst = !hasBegun
        hasBegun = true
        var settled = state
        func settle(
            _ reading: inout Settling, _ path: WritableKeyPath<DeviceState, Reading>,
            _ window: Window
        ) {
            settled[keyPath: path] = reading.take(
                state[keyPath: path], at: elapsed, isFirst ? .none : window)
        }
        settle(&power, \.externalPower, policy.powerSettle)
        settle(&network, \.network, policy.networkSettle)
        // A metered network counts at once, since it costs money; without a network it is unknown.
        let lost = state.networkMetered == .yes ? .zero : policy.networkSettle.lost
        settle(&metered, \.networkMetered, Window(gained: policy.networkSettle.gained, lost: lost))
        settle(&idle, \.userIdle, policy.idleSettle)
        settled.batteryPercent = charge(state.batteryPercent, policy)
        return settled
    }

    /// A charge below the low gate counts as low until it exceeds the gate by the margin.
    private mutating func charge(_ percent: Int?, _ policy: Policy) -> Int? {
        guard let percent else { return nil }
        let gate = policy.lowBatteryPercent
        let end = min(100, gate + policy.lowBatteryMargin)  // fits: percentages
        isBatteryLow = percent < (isBatteryLow ? max(gate, end) : gate)
        return isBatteryLow ? min(percent, gate - 1) : percent
    }

    /// The machine has slept: conditions that held before must settle again.
    package mutating func restart() {
        power.restart()
        network.restart()
        metered.restart()
        idle.restart()
    }

    /// The elapsed instant at which a change will count unless it is reversed; nil if no change is pending.
    package var nextChange: Int64? { [power, network, metered, idle].compactMap(\.due).min() }

    /// One reading: its settled value, and since when the device reports another one.
    private struct Settling: Equatable, Sendable {
        /// The value that satisfies the condition.
        let good: Reading
        private var current = Reading.unknown
        private(set) var due: Int64?

        init(good: Reading) { self.good = good }

        mutating func restart() {
            current = .unknown
            due = nil
        }

        mutating func take(_ reading: Reading, at elapsed: Int64, _ window: Window) -> Reading {
            guard (reading == good) != (current == good) else {
                // A change between "no" and "unknown" gains or loses nothing.
                current = reading
                due = nil
                return current
            }
            let wait = reading == good ? window.gained : window.lost
            let due = min(self.due ?? .max, elapsed.saturatingAdding(wait.nanoseconds))
            if due <= elapsed {
                current = reading
                self.due = nil
            } else {
                self.due = due
            }
            return current
        }
    }
}
