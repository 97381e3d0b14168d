// SPDX-License-Identifier: Apache-2.0

/// The value of a device reading. `unknown` never turns into yes or no by itself.
package enum Reading: Int8, Equatable, Sendable {
    case unknown = -1
    case no = 0
    case yes = 1

    package func text(yes: String, no: String) -> String {
        switch self {
        case .yes: yes
        case .no: no
        case .unknown: "unknown"
        }
    }
}

/// How hot the device is (Apple: ProcessInfo.ThermalState).
package enum ThermalState: Int8, Equatable, Comparable, Sendable, CaseIterable {
    case nominal = 0
    case fair = 1
    case serious = 2
    case critical = 3

    /// The word in manifests and texts. Reflection would search the conformances of the whole program.
    package var name: String {
        switch self {
        case .nominal: "nominal"
        case .fair: "fair"
        case .serious: "serious"
        case .critical: "critical"
        }
    }

    package static func < (left: ThermalState, right: ThermalState) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// The state of the device as the policy sees it.
package struct DeviceState: Equatable, Sendable {
    package var externalPower: Reading
    /// 0 to 100; nil if it is unknown or the device has no battery.
    package var batteryPercent: Int?
    package var lowPowerMode: Reading
    package var network: Reading
    package var networkMetered: Reading
    package var userIdle: Reading
    package var storageLow: Reading
    package var thermal: ThermalState?
    /// Whether memory, CPU or disk contention is so high that background work should yield (PSI).
    package var pressure: Reading
    package var gpu: Reading
    package var memoryLow: Reading

    package init(
        externalPower: Reading = .unknown, batteryPercent: Int? = nil,
        lowPowerMode: Reading = .unknown, network: Reading = .unknown,
        networkMetered: Reading = .unknown, userIdle: Reading = .unknown,
        storageLow: Reading = .unknown, thermal: ThermalState? = nil,
        pressure: Reading = .unknown, gpu: Reading = .unknown, memoryLow: Reading = .unknown
    ) {
        self.externalPower = externalPower
        self.batteryPercent = batteryPercent.map { min(max(0, $0), 100) }
        self.lowPowerMode = lowPowerMode
        self.network = network
        self.networkMetered = networkMetered
        self.userIdle = userIdle
        self.storageLow = storageLow
        self.thermal = thermal
        self.pressure = pressure
        self.gpu = gpu
        self.memoryLow = memoryLow
    }
}

extension DeviceState {
    /// This device with the readings stated in a manifest instead of its own; "unknown" states nothing.
    package func stated(_ stated: DeviceState) -> DeviceState {
        var device = self
        func state(_ path: WritableKeyPath<DeviceState, Reading>) {
            if stated[keyPath: path] != .unknown { device[keyPath: path] = stated[keyPath: path] }
        }
        state(\.externalPower)
        state(\.lowPowerMode)
        state(\.network)
        state(\.networkMetered)
        state(\.userIdle)
        state(\.pressure)
        for reading in PlainReading.all { state(reading.path) }
        device.batteryPercent = stated.batteryPercent ?? batteryPercent
        device.thermal = stated.thermal ?? thermal
        return device
    }
}
