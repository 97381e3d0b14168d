// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// Whether the machine has external power, by the type of a supply, never its name; ignores supplies of
/// peripherals.
enum PowerRule {
    static func externalPower(_ snapshot: PowerSnapshot) -> Finding<Reading> {
        guard let supplies = snapshot.supplies else {
            return finding(
                .unknown, .unknown, "\(PowerSnapshot.path) is not there; state `power` in `device:`"
            )
        }
        let batteries = supplies.filter(\.isSystemBattery)
        let lines = supplies.filter { $0.isLine && !$0.isPeripheral && $0.isSink }
        if let line = lines.first(where: { $0.online == true }) { return online(line, batteries) }
        guard !batteries.isEmpty else { return withoutBattery(snapshot) }
        if let line = lines.first(where: { $0.online == false }) { return offline(line, batteries) }
        return batteriesOnly(batteries)
    }

    private static func online(
        _ line: PowerSupply, _ batteries: [PowerSupply]
    ) -> Finding<Reading> {
        let plugged = "\(line.name) (\(line.type)) is plugged in"
        if let battery = batteries.first(where: { $0.status == .discharging }) {
            return finding(
                .yes, .derived,
                "\(plugged), though \(battery.name) discharges: it gives too little", line)
        }
        return finding(.yes, .measured, plugged, line)
    }

    private static func offline(
        _ line: PowerSupply, _ batteries: [PowerSupply]
    ) -> Finding<Reading> {
        let unplugged = "\(line.name) (\(line.type)) is not plugged in"
        if let battery = batteries.first(where: { $0.status == .discharging }) {
            return finding(.no, .measured, "\(unplugged) and \(battery.name) discharges", battery)
        }
        if let battery = batteries.first(where: { $0.status == .charging }) {
            return finding(
                .yes, .derived, "\(unplugged), but \(battery.name) charges: something feeds it",
                battery)
        }
        return finding(.no, .derived, unplugged, line)
    }

    /// Without adapters: batteries report the direction of power.
    private static func batteriesOnly(_ batteries: [PowerSupply]) -> Finding<Reading> {
        let order: [PowerSupply.Status] = [.discharging, .charging, .notCharging, .full]
        for status in order {
            guard let battery = batteries.first(where: { $0.status == status }) else { continue }
            let says = "no adapter is listed and \(battery.name) is \"\(status.rawValue)\""
            switch status {
            case .discharging: return finding(.no, .derived, says, battery)
            case .full: return finding(.yes, .assumed, says, battery)
            default: return finding(.yes, .derived, says, battery)
            }
        }
        return finding(
            .unknown, .unknown, "no adapter is listed and no battery tells what it does",
            batteries.first)
    }

    private static func withoutBattery(_ snapshot: PowerSnapshot) -> Finding<Reading> {
        snapshot.isVirtual
            ? finding(
                .yes, .assumed,
                "a virtual machine sees no battery; the machine under it may have one")
            : finding(.yes, .derived, "a machine without a battery runs on mains")
    }

    private static func finding(
        _ value: Reading, _ confidence: Confidence, _ because: String, _ supply: PowerSupply? = nil
    ) -> Finding<Reading> {
        let path = supply.map { "\(PowerSnapshot.path)/\($0.name)" } ?? PowerSnapshot.path
        return Finding(value, from: path, confidence, because: because)
    }
}
