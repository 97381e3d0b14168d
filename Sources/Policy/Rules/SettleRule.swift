// SPDX-License-Identifier: Apache-2.0

/// A condition that is gained counts once it has held for a while, one that is lost after a shorter while, so
/// that a loose cable does not start and expire attempts by turns. A charge settles around the low gate. Readings
/// that decide no condition count at once, and so does the first state.
package struct SettleRule: Hashable, Sendable {
    /// How long a change must last before it counts.
    package struct Window: Hashable, Sendable {
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

    /// Takes what the device says at `elapsed` and returns what counts. Call it again at `nextChange`.
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
        // What costs money counts at once; whether it does is unknown without a network.
        let lost = state.networkMetered == .yes ? .zero : policy.networkSettle.lost
        settle(&metered, \.networkMetered, Window(gained: policy.networkSettle.gained, lost: lost))
        settle(&idle, \.userIdle, policy.idleSettle)
        settled.batteryPercent = charge(state.batteryPercent, policy)
        return settled
    }

    /// A charge below the low gate counts as low until it is well above.
    private mutating func charge(_ percent: Int?, _ policy: Policy) -> Int? {
        guard let percent else { return nil }
        let gate = policy.lowBatteryPercent
        let end = min(100, gate + policy.lowBatteryMargin)  // fits: percentages
        isBatteryLow = percent < (isBatteryLow ? max(gate, end) : gate)
        return isBatteryLow ? min(percent, gate - 1) : percent
    }

    /// The machine has slept: what was good then counts again only after it has lasted anew.
    package mutating func restart() {
        power.restart()
        network.restart()
        metered.restart()
        idle.restart()
    }

    /// The elapsed instant at which a change will count unless it is taken back; nil when none waits.
    package var nextChange: Int64? { [power, network, metered, idle].compactMap(\.due).min() }

    /// One reading: what counts, and since when the device says otherwise.
    private struct Settling: Hashable, Sendable {
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
                // Between "no" and "unknown" nothing is gained or lost.
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
