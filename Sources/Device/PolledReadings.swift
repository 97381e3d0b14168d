// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// Readings without notifications on some machines: the device polls them once a minute while they are needed.
/// Closing a notification of pressure costs the kernel tens of milliseconds, so it waits for a lasting need.
package struct PolledReadings: OptionSet, Equatable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Input at terminals. logind announces a desktop's idleness.
    static let idle = PolledReadings(rawValue: 1 << 0)
    /// The charge, if the driver announces only the cable.
    static let battery = PolledReadings(rawValue: 1 << 1)
    /// Space and processors of the machine; drivers announce some of it.
    static let plain = PolledReadings(rawValue: 1 << 2)
    /// Temperatures.
    static let heat = PolledReadings(rawValue: 1 << 3)
    /// Contention, within seconds.
    static let pressure = PolledReadings(rawValue: 1 << 4)

    /// The cable, where uevents do not arrive.
    static let power = PolledReadings(rawValue: 1 << 5)

    package static let all: PolledReadings = [.idle, .battery, .plain, .heat, .pressure, .power]

    /// The readings that `conditions` and `factors` depend on.
    package init(_ conditions: Conditions, _ factors: Factors = []) {
        self = []
        if conditions.contains(.idle) || factors.contains(.userActivity) { insert(.idle) }
        if conditions.contains(.externalPower) { insert(.power) }
        if conditions.contains(.batteryNotLow) { formUnion([.battery, .power]) }
        if PlainReading.all.contains(where: { conditions.contains($0.condition) }) {
            insert(.plain)
        }
        if factors.contains(.criticalBattery) || factors.contains(.powerPreference) {
            formUnion([.battery, .power])
        }
        if factors.contains(.thermal) { insert(.heat) }
        if factors.contains(.pressure) { insert(.pressure) }
    }
}
