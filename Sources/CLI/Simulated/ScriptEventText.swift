// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy
import BGRunSimulation

/// Formats a scenario's events as lines of the log.
enum ScriptEventText {
    static func text(_ deed: ScriptedEvent.ScenarioAction) -> String {
        switch deed {
        case .submit(let submission): "Scenario: \(submission.identifier) is submitted"
        case .push(let push): "Scenario: a push for \(push.identifier) comes"
        case .cancel(let identifier): "Scenario: \(identifier) is cancelled"
        case .trigger(let identifier): "Scenario: \(identifier) is triggered"
        case .expire(let identifier): "Scenario: \(identifier) is expired"
        case .transfer(let name): "Scenario: the transfer \(name) is submitted anew"
        case .openApp: "Scenario: the app is opened"
        case .forceQuit: "Scenario: the app is force-quit"
        case .setClock(let shift):
            shift < .zero
                ? "Scenario: the clock is set back by "
                    + Interval(nanoseconds: -shift.nanoseconds).text
                : "Scenario: the clock is set forward by \(shift.text)"
        }
    }

    /// A line for each changed reading except the battery charge, which changes too often.
    static func changes(from old: DeviceState, to new: DeviceState) -> [String] {
        zip(readings(of: old), readings(of: new)).filter { $0 != $1 }.map { "Device: \($1)" }
    }

    private static func readings(of device: DeviceState) -> [String] {
        [
            device.externalPower == .yes ? "on external power" : "on battery", network(device),
            device.userIdle == .yes ? "its user is idle" : "its user is back",
            "low power mode \(device.lowPowerMode == .yes ? "on" : "off")",
            "thermal state \(device.thermal?.name ?? "unknown")",
            device.pressure == .yes ? "under pressure" : "under no pressure",
        ]
            + PlainReading.all.filter { $0.required != nil }.map { reading in
                "\(reading.name) is \(reading.requirement(device[keyPath: reading.path]))"
            }
    }

    private static func network(_ device: DeviceState) -> String {
        guard device.network == .yes else { return "no network" }
        return device.networkMetered == .yes ? "metered network" : "unmetered network"
    }
}
