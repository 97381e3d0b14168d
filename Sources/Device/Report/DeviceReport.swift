// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// All findings of the host device, with the reasons.
package struct DeviceReport: Equatable, Sendable {
    /// Whether the machine has external power.
    var power: Finding<Reading>
    /// The charge of all system batteries, 0 to 100; nil if it is unknown or the machine has no battery.
    var battery: Finding<Int?>
    var lowPowerMode: Finding<Reading>
    /// Whether a usable network exists.
    var network: Finding<Reading>
    var metered: Finding<Metered>
    var connectivity: Finding<Connectivity>
    package var userIdle: Finding<Reading>
    var thermal: Finding<ThermalState?>
    /// Whether the machine is so contended that background work should yield.
    var pressure: Finding<Reading>
    /// Storage, GPU and the other readings of `PlainReading.all`.
    var plain: PlainFindings

    /// The policy's view. Unknown readings stay unknown.
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

extension DeviceReport {
    /// The readings from the machine's files, before the first message of a service.
    init(nothingHeardFrom files: SystemFiles, stateDirectory: String) {
        let power = PowerSnapshot(files)
        let network = NetworkRule.findings(nil, nil)
        let pressure = PressureRule.isHigh(PressureSnapshot(files), before: .unknown)
        self.init(
            power: PowerRule.externalPower(power), battery: BatteryRule.percent(power),
            lowPowerMode: LowPowerRule.isOn(.noBus), network: network.network,
            metered: network.metered, connectivity: network.connectivity,
            userIdle: Finding(
                .unknown, from: "none", .unknown, because: "no source has been asked yet"),
            thermal: ThermalRule.state(ThermalZone.all(files)), pressure: pressure,
            plain: PlainFindings(files, stateDirectory: stateDirectory))
    }
}

extension DeviceReport {
    /// One reading, for people.
    package struct Row: Encodable, Equatable, Sendable {
        package var reading: String
        package var value: String
        package var source: String
        package var confidence: Confidence
        package var because: String

        init<Value>(_ reading: String, _ finding: Finding<Value>, _ text: (Value) -> String) {
            self.reading = reading
            value = text(finding.value)
            source = finding.source
            confidence = finding.confidence
            because = finding.because
        }
    }

    /// Every reading, always in this order and with these names.
    package var rows: [Row] {
        [
            Row("power", power) { $0.text(yes: "external", no: "battery") },
            Row("battery", battery) { $0.map { "\($0)%" } ?? "-" },
            Row("low-power-mode", lowPowerMode) { $0.text(yes: "on", no: "off") },
            Row("network", network) { $0.text(yes: "yes", no: "none") },
            Row("metered", metered) { $0.rawValue },
            Row("connectivity", connectivity) { $0.rawValue },
            Row("idle", userIdle) { $0.text(yes: "yes", no: "no") },
            Row("thermal", thermal) { $0?.name ?? "unknown" },
            Row("pressure", pressure) { $0.text(yes: "high", no: "normal") },
        ] + PlainReading.all.map { Row($0.name, plain[$0], $0.text) }
    }
}

/// Whether the network is metered, according to NetworkManager, which often guesses.
enum Metered: String, Sendable, CaseIterable {
    case yes
    case no
    case guessYes = "guess-yes"
    case guessNo = "guess-no"
    case unknown

    /// A guess counts: most networks never report more than an unconfirmed "no".
    var reading: Reading {
        switch self {
        case .yes, .guessYes: .yes
        case .no, .guessNo: .no
        case .unknown: .unknown
        }
    }
}

/// The reach of the network.
enum Connectivity: String, Sendable, CaseIterable {
    case none
    /// A login page answers in place of the Internet.
    case portal
    /// Connected, but the Internet is not reached.
    case limited
    case full
    case unknown
}
