// SPDX-License-Identifier: Apache-2.0

public import BGRunCore

/// Everything the host device has found out, with the reasons.
public struct DeviceReport: Hashable, Sendable {
    /// Whether power comes from outside.
    public var power: Finding<Reading>
    /// The charge of all system batteries, 0 to 100; nil if it is unknown or the machine has no battery.
    public var battery: Finding<Int?>
    public var lowPowerMode: Finding<Reading>
    /// Whether there is a network that can be used.
    public var network: Finding<Reading>
    public var metered: Finding<Metered>
    public var connectivity: Finding<Connectivity>
    public var userIdle: Finding<Reading>
    public var thermal: Finding<ThermalState?>
    /// Whether the machine is so contended that background work should yield.
    public var pressure: Finding<Reading>
    /// Whether the state directory's file system is nearly full.
    public var storageLow: Finding<Reading>
    /// Whether there is a GPU this process may use.
    public var gpu: Finding<Reading>

    public init(
        power: Finding<Reading>, battery: Finding<Int?>, lowPowerMode: Finding<Reading>,
        network: Finding<Reading>, metered: Finding<Metered>, connectivity: Finding<Connectivity>,
        userIdle: Finding<Reading>, thermal: Finding<ThermalState?>, pressure: Finding<Reading>,
        storageLow: Finding<Reading>, gpu: Finding<Reading>
    ) {
        self.power = power
        self.battery = battery
        self.lowPowerMode = lowPowerMode
        self.network = network
        self.metered = metered
        self.connectivity = connectivity
        self.userIdle = userIdle
        self.thermal = thermal
        self.pressure = pressure
        self.storageLow = storageLow
        self.gpu = gpu
    }

    /// What the policy sees. What is unknown here is unknown there.
    public var state: DeviceState {
        DeviceState(
            externalPower: power.value, batteryPercent: battery.value,
            lowPowerMode: lowPowerMode.value, network: network.value,
            networkMetered: metered.value.reading, userIdle: userIdle.value,
            storageLow: storageLow.value, thermal: thermal.value, pressure: pressure.value,
            gpu: gpu.value)
    }
}

/// Whether use of the network is paid for by volume, as NetworkManager tells it: it often guesses.
public enum Metered: String, Sendable, CaseIterable {
    case yes
    case no
    case guessYes = "guess-yes"
    case guessNo = "guess-no"
    case unknown

    /// A guess counts: an unconfirmed "no" is all that most networks ever say.
    public var reading: Reading {
        switch self {
        case .yes, .guessYes: .yes
        case .no, .guessNo: .no
        case .unknown: .unknown
        }
    }
}

/// How far the network reaches.
public enum Connectivity: String, Sendable, CaseIterable {
    case none
    /// A login page answers in place of the Internet.
    case portal
    /// Connected, but the Internet is not reached.
    case limited
    case full
    case unknown
}
