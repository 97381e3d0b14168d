// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// The events of a scenario's device and users, in time order, in nanoseconds after its beginning.
package struct Script: Sendable {
    package let device: SimulatedDevice
    /// The beginning, in milliseconds since 1970 (UTC).
    package let originMilliseconds: Int64
    private let deeds: [(at: Int64, deed: ScriptedEvent.ScenarioAction)]
    private var deviceIndex = 0
    private var deedIndex = 0

    package enum ScriptEvent: Equatable, Sendable {
        /// The readings have changed to these.
        case device(DeviceState)
        case deed(ScriptedEvent.ScenarioAction)
    }

    package init(_ scenario: Scenario, seed: UInt64) {
        device = SimulatedDevice(scenario, seed: seed)
        let occurrences = Occurrences(scenario)
        originMilliseconds = occurrences.origin * 1_000
        var deeds: [(at: Int64, order: Int, deed: ScriptedEvent.ScenarioAction)] = []
        for (index, event) in scenario.events.enumerated() {
            var random = SeededGenerator(seed: seed, stream: "event/\(index)")
            let instants = occurrences.instants(
                of: event.when, jitter: event.jitter, using: &random)
            deeds += instants.map { ($0, index, event.deed) }
        }
        self.deeds = deeds.sorted { ($0.at, $0.order) < ($1.at, $1.order) }.map { ($0.at, $0.deed) }
    }

    /// The readings at the scenario's beginning, which no event reports.
    package var firstState: DeviceState { device.changes[0].state }

    /// The time of the next event; nil after the last one.
    package var nextInstant: Int64? {
        let deed = deedIndex < deeds.count ? deeds[deedIndex].at : nil
        guard let change = nextDeviceChange else { return deed }
        return min(change, deed ?? .max)
    }

    private var nextDeviceChange: Int64? {
        deviceIndex + 1 < device.changes.count ? device.changes[deviceIndex + 1].at : nil
    }

    /// Removes the first due event at `now`: the latest state of the device, then those of users; nil:
    /// none is due.
    package mutating func take(at now: Int64) -> ScriptEvent? {
        if let change = nextDeviceChange, change <= now {
            deviceIndex = device.index(at: now)
            return .device(device.changes[deviceIndex].state)
        }
        guard deedIndex < deeds.count, deeds[deedIndex].at <= now else { return nil }
        deedIndex += 1
        return .deed(deeds[deedIndex - 1].deed)
    }
}

extension ScriptedEvent.ScenarioAction {
    /// The events for the engine. The caller sets the clock, before them.
    package func events(ticket: Ticket?) -> [Event] {
        switch self {
        case .submit(let submission): [.submit(submission, ticket: ticket)]
        case .push(let push): [.submit(Submission(identifier: push.identifier), ticket: ticket)]
        case .cancel(let identifier): [.cancel(identifier: identifier, ticket: ticket)]
        case .trigger(let identifier):
            [.trigger(Submission(identifier: identifier), ticket: ticket)]
        case .expire(let identifier):
            [.expire(identifier: identifier, .cancelled, ticket: ticket)]
        case .openApp: [.appOpened(ticket: ticket)]
        case .forceQuit: [.appForceQuit(ticket: ticket)]
        case .transfer: []
        case .setClock: [.timer]
        }
    }
}
