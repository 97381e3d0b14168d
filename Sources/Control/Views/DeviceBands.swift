// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// One reading of the device.
package struct DeviceBand: Codable, Equatable, Sendable {
    package var name: String
    package var value: String
    /// The date of the last change; nil: before the first observation.
    var since: WallTime?
    /// Whether it usually permits discretionary work: false without power or network, or in heat.
    /// Nil: unknown, or irrelevant.
    package var isGood: Bool?
}

/// The readings of a device, each with the date of its last change.
package struct DeviceBands: Equatable, Sendable {
    /// Always in the same order with the same names.
    package private(set) var all: [DeviceBand]

    package init(_ device: DeviceState) { all = Self.bands(device) }

    /// Records the current state of the device.
    package mutating func note(_ device: DeviceState, at now: WallTime) {
        for (index, band) in Self.bands(device).enumerated() where band.value != all[index].value {
            all[index] = band
            all[index].since = now
        }
    }

    private static func bands(_ device: DeviceState) -> [DeviceBand] {
        let network: (String, Bool?) =
            switch (device.network, device.networkMetered) {
            case (.unknown, _): ("unknown", nil)
            case (.no, _): ("none", false)
            case (.yes, .yes): ("metered", false)
            case (.yes, .no): ("unmetered", true)
            case (.yes, .unknown): ("connected", nil)
            }
        return [
            band("power", device.externalPower, yes: "external", no: "battery", good: .yes),
            DeviceBand(name: "battery", value: device.batteryPercent.map { "\($0)%" } ?? "-"),
            band("low-power-mode", device.lowPowerMode, yes: "on", no: "off", good: .no),
            DeviceBand(name: "network", value: network.0, isGood: network.1),
            band("idle", device.userIdle, yes: "yes", no: "no", good: .yes),
            DeviceBand(
                name: "thermal", value: device.thermal?.name ?? "unknown",
                isGood: device.thermal.map { $0 < .serious }),
            band("pressure", device.pressure, yes: "high", no: "normal", good: .no),
        ]
            + PlainReading.all.filter { $0.required != nil }.map {
                band(
                    $0.name, device[keyPath: $0.path], yes: $0.words.yes, no: $0.words.no,
                    good: $0.good)
            }
    }

    private static func band(
        _ name: String, _ reading: Reading, yes: String, no: String, good: Reading
    ) -> DeviceBand {
        switch reading {
        case .unknown: DeviceBand(name: name, value: "unknown")
        case .yes: DeviceBand(name: name, value: yes, isGood: good == .yes)
        case .no: DeviceBand(name: name, value: no, isGood: good == .no)
        }
    }
}
