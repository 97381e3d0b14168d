// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// Every reading of a scenario's device for one seed. Times are nanoseconds after the scenario's beginning.
package struct SimulatedDevice: Sendable {
    /// `changes[0].at` is 0; times ascend.
    package let changes: [(at: Int64, state: DeviceState)]
    /// Bytes per second.
    let bandwidth: Timetable<Int64>
    /// The times of suspension; ascending and disjoint.
    package let suspended: [Range<Int64>]

    package init(_ scenario: Scenario, seed: UInt64) {
        let occurrences = Occurrences(scenario)
        func timetable<Value>(_ layers: Layers<Value>, _ name: String) -> Timetable<Value> {
            var random = SeededGenerator(seed: seed, stream: "device/\(name)")
            return Timetable(layers, occurrences, using: &random)
        }
        var random = SeededGenerator(seed: seed, stream: "suspend")
        suspended = Self.merged(
            scenario.suspended.flatMap { occurrences.intervals(of: $0, using: &random) })
        let suspended = suspended
        let script = scenario.device
        let power = timetable(script.power, "power")
        let battery = script.battery.map {
            BatteryCurve($0, power: power, suspended: suspended, duration: occurrences.duration)
                .percentages
        }
        let network = timetable(script.network, "network")
        bandwidth = timetable(script.bandwidth, "bandwidth")
        var changes = Changes()
        changes.add(power) { $0.externalPower = $1 ? .yes : .no }
        if let battery { changes.add(battery) { $0.batteryPercent = $1 } }
        changes.add(network) { state, kind in
            state.network = kind == .none ? .no : .yes
            state.networkMetered = kind == .none ? .unknown : kind == .metered ? .yes : .no
        }
        if let idle = script.idle {
            changes.add(timetable(idle, "idle")) { $0.userIdle = $1 ? .yes : .no }
        }
        changes.add(timetable(script.lowPowerMode, "low-power-mode")) {
            $0.lowPowerMode = $1 ? .yes : .no
        }
        changes.add(timetable(script.thermal, "thermal")) { $0.thermal = $1 }
        changes.add(timetable(script.pressure, "pressure")) { $0.pressure = $1 ? .yes : .no }
        for reading in PlainReading.all {
            let layers = script.plain[reading.name] ?? Layers(false)
            changes.add(timetable(layers, reading.name)) {
                $0[keyPath: reading.path] = $1 ? .yes : .no
            }
        }
        self.changes = changes.states(from: DeviceState())
    }

    package func state(at instant: Int64) -> DeviceState { changes[index(at: instant)].state }

    /// The instant from which the device is awake; `instant` itself if it is.
    package func awake(at instant: Int64) -> Int64 {
        suspended.first { $0.contains(instant) }?.upperBound ?? instant
    }

    /// The end of `work` that begins at `instant`: it pauses while the device is suspended.
    func end(of work: Int64, from instant: Int64) -> Int64 {
        var now = awake(at: instant)
        var rest = work
        for pause in suspended where pause.lowerBound >= now {
            let left = pause.lowerBound.saturatingSubtracting(now)
            if rest <= left { break }
            rest = rest.saturatingSubtracting(left)
            now = pause.upperBound
        }
        return now.saturatingAdding(rest)
    }

    /// The work done between two instants.
    func work(from: Int64, to: Int64) -> Int64 {
        suspended.reduce(to.saturatingSubtracting(from)) { work, pause in
            // fits: part of the run
            work - pause.clamped(to: from..<max(from, to)).count64
        }
    }

    /// The last change at or before `instant`.
    func index(at instant: Int64) -> Int {
        var low = 0
        var high = changes.count
        while low + 1 < high {
            let middle = (low + high) / 2
            if changes[middle].at <= instant { low = middle } else { high = middle }
        }
        return low
    }

    private static func merged(_ intervals: [Range<Int64>]) -> [Range<Int64>] {
        intervals.sorted { $0.lowerBound < $1.lowerBound }.reduce(into: []) { merged, next in
            guard let last = merged.last, next.lowerBound <= last.upperBound else {
                merged.append(next)
                return
            }
            merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, next.upperBound)
        }
    }
}

extension Range<Int64> {
    fileprivate var count64: Int64 { upperBound - lowerBound }
}

/// Sorts the changes of single readings by time.
private struct Changes {
    private var edits: [(at: Int64, order: Int, edit: (inout DeviceState) -> Void)] = []

    mutating func add<Value>(
        _ timetable: Timetable<Value>, _ set: @escaping (inout DeviceState, Value) -> Void
    ) {
        for change in timetable.changes {
            edits.append((change.at, edits.count, { set(&$0, change.value) }))
        }
    }

    func states(from first: DeviceState) -> [(at: Int64, state: DeviceState)] {
        var state = first
        var states: [(at: Int64, state: DeviceState)] = []
        for edit in edits.sorted(by: { ($0.at, $0.order) < ($1.at, $1.order) }) {
            edit.edit(&state)
            if states.last?.at == edit.at { states.removeLast() }
            if states.last?.state != state { states.append((edit.at, state)) }
        }
        return states
    }
}
