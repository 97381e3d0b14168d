// SPDX-License-Identifier: Apache-2.0

/// Conditions of the device that must hold before a request is launched; when one is lost during an attempt, the
/// attempt expires with its reason. The bits are those of the plugin ABI, `BGRUN_REQUIRES_...`.
package struct Conditions: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Mains or USB-PD power (Apple: requiresExternalPower; Android: charging).
    package static let externalPower = Conditions(rawValue: 1 << 0)
    /// Any network (Apple: requiresNetworkConnectivity; Android: connected).
    package static let network = Conditions(rawValue: 1 << 1)
    /// A network that is not metered (Android: unmetered).
    package static let unmeteredNetwork = Conditions(rawValue: 1 << 2)
    /// The device is not in use (Android: device idle).
    package static let idle = Conditions(rawValue: 1 << 3)
    /// The battery is above the low gate, or the device has no battery (Android: battery not low).
    package static let batteryNotLow = Conditions(rawValue: 1 << 4)
    /// The state directory's file system has room (Android: storage not low).
    package static let storageNotLow = Conditions(rawValue: 1 << 5)

    /// A graphics processor (Apple: requiredResources gpu).
    package static let gpu = Conditions(rawValue: 1 << 6)

    /// Programs can still get memory. Only for tasks: in `RequestFlags`, the byte of a request, the bit has another
    /// meaning.
    package static let memoryNotLow = Conditions(rawValue: 1 << 7)

    /// Every single condition, in the order they are shown and checked.
    package static let each: [Conditions] = [
        .externalPower, .network, .unmeteredNetwork, .idle, .batteryNotLow, .storageNotLow,
        .gpu, .memoryNotLow,
    ]

    /// The names of the conditions in this set, in the order of `each`.
    package var names: [String] { Self.each.filter(contains).map(\.singleName) }

    /// A sentence for a request that waits for these conditions.
    var sentence: String {
        let missing = Self.each.filter(contains).map {
            $0 == .idle ? "the device to be idle" : $0.singleName
        }
        return "waits for " + missing.joined(separator: ", ")
    }

    private var singleName: String {
        switch self {
        case .externalPower: "power: external"
        case .network: "network: any"
        case .unmeteredNetwork: "network: unmetered"
        case .idle: "idle: true"
        case .batteryNotLow: "battery: not-low"
        default:
            PlainReading.deciding(self).map { "\($0.name): \($0.requirement($0.good))" }
                ?? "unknown"
        }
    }

    /// The stop reason of an attempt when this condition, the first in `each` order, is lost.
    var lossReason: StopReason {
        if contains(.externalPower) { return .powerLost }
        if contains(.network) { return .networkLost }
        if contains(.unmeteredNetwork) { return .becameMetered }
        if contains(.idle) { return .userActive }
        if contains(.batteryNotLow) { return .lowBattery }
        return .pressure
    }
}
