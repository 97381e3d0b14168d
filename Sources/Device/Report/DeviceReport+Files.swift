// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

extension DeviceReport {
    /// What the machine's files tell before anybody has spoken.
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
