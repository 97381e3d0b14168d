// SPDX-License-Identifier: Apache-2.0

/// What a device reading can say. `unknown` never turns into yes or no by itself.
public enum Reading: Int8, Hashable, Sendable {
    case unknown = -1
    case no = 0
    case yes = 1
}

/// How hot the device is (Apple: ProcessInfo.ThermalState).
public enum ThermalState: Int8, Hashable, Comparable, Sendable, CaseIterable {
    case nominal = 0
    case fair = 1
    case serious = 2
    case critical = 3

    public static func < (left: ThermalState, right: ThermalState) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// The device as the policy sees it.
public struct DeviceState: Hashable, Sendable {
    public var externalPower: Reading
    /// 0 to 100; nil if it is unknown or the device has no battery.
    public var batteryPercent: Int?
    public var lowPowerMode: Reading
    public var network: Reading
    public var networkMetered: Reading
    public var userIdle: Reading
    public var storageLow: Reading
    public var thermal: ThermalState?
    /// Whether memory, CPU or disk are so contended that background work should yield (PSI).
    public var pressure: Reading
    public var gpu: Reading

    public init(
        externalPower: Reading = .unknown, batteryPercent: Int? = nil,
        lowPowerMode: Reading = .unknown, network: Reading = .unknown,
        networkMetered: Reading = .unknown, userIdle: Reading = .unknown,
        storageLow: Reading = .unknown, thermal: ThermalState? = nil,
        pressure: Reading = .unknown, gpu: Reading = .unknown
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
    }
}
