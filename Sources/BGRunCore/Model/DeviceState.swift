// SPDX-License-Identifier: Apache-2.0

/// What a device reading can say. `unknown` never turns into yes or no by itself.
public enum Reading: Int8, Hashable, Sendable {
    case unknown = -1
    case no = 0
    case yes = 1
}

/// The device as the policy sees it.
public struct DeviceState: Hashable, Sendable {
    public var externalPower: Reading
    /// 0 to 100; nil when unknown or when there is no battery.
    public var batteryPercent: Int?
    public var lowPowerMode: Reading
    public var network: Reading
    public var networkMetered: Reading
    public var userIdle: Reading
    public var storageLow: Reading

    public init(
        externalPower: Reading = .unknown, batteryPercent: Int? = nil,
        lowPowerMode: Reading = .unknown, network: Reading = .unknown,
        networkMetered: Reading = .unknown, userIdle: Reading = .unknown,
        storageLow: Reading = .unknown
    ) {
        self.externalPower = externalPower
        self.batteryPercent = batteryPercent
        self.lowPowerMode = lowPowerMode
        self.network = network
        self.networkMetered = networkMetered
        self.userIdle = userIdle
        self.storageLow = storageLow
    }
}
