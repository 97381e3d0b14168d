// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// Everything the host device has found out, with the reasons.
package struct DeviceReport: Hashable, Sendable {
    /// Whether power comes from outside.
    package var power: Finding<Reading>
    /// The charge of all system batteries, 0 to 100; nil if it is unknown or the machine has no battery.
    package var battery: Finding<Int?>
    package var lowPowerMode: Finding<Reading>
    /// Whether there is a network that can be used.
    package var network: Finding<Reading>
    package var metered: Finding<Metered>
    package var connectivity: Finding<Connectivity>
    package var userIdle: Finding<Reading>
    package var thermal: Finding<ThermalState?>
    /// Whether the machine is so contended that background work should yield.
    package var pressure: Finding<Reading>
    /// Storage, GPU and the other readings of `PlainReading.all`.
    package var plain: PlainFindings

    /// What the policy sees. What is unknown here is unknown there.
    package var state: DeviceState {
        var state = DeviceState(
            externalPower: power.value, batteryPercent: battery.value,
            lowPowerMode: lowPowerMode.value, network: network.value,
            networkMetered: metered.value.reading, userIdle: userIdle.value,
            thermal: thermal.value, pressure: pressure.value)
        for reading in PlainReading.all { state[keyPath: reading.path] = plain[reading].value }
        return state
    }
}

/// Whether use of the network is paid for by volume, as NetworkManager tells it: it often guesses.
package enum Metered: String, Sendable, CaseIterable {
    case yes
    case no
    case guessYes = "guess-yes"
    case guessNo = "guess-no"
    case unknown

    /// A guess counts: an unconfirmed "no" is all that most networks ever say.
    package var reading: Reading {
        switch self {
        case .yes, .guessYes: .yes
        case .no, .guessNo: .no
        case .unknown: .unknown
        }
    }
}

/// How far the network reaches.
package enum Connectivity: String, Sendable, CaseIterable {
    case none
    /// A login page answers in place of the Internet.
    case portal
    /// Connected, but the Internet is not reached.
    case limited
    case full
    case unknown
}
