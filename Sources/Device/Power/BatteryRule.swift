// SPDX-License-Identifier: Apache-2.0

/// The combined charge of all batteries, weighted by capacity: two of 20 Wh and 60 Wh weigh one to
/// three.
enum BatteryRule {
    static func percent(_ snapshot: PowerSnapshot) -> Finding<Int?> {
        var source = PowerSnapshot.path
        func finding(_ percent: Int?, _ confidence: Confidence, _ because: String) -> Finding<Int?>
        {
            Finding(percent, from: source, confidence, because: because)
        }
        guard let supplies = snapshot.supplies else {
            return finding(nil, .unknown, "\(source) is not there")
        }
        let batteries = supplies.filter(\.isSystemBattery)
        if batteries.count == 1 { source += "/" + batteries[0].name }
        guard !batteries.isEmpty else {
            let peripherals = supplies.filter(\.isPeripheral).map(\.name)
            let others =
                peripherals.isEmpty
                ? "" : " (\(peripherals.joined(separator: ", ")) is a peripheral's)"
            return finding(nil, .measured, "the machine lists no battery\(others)")
        }
        let telling = batteries.filter { $0.percent != nil }
        let percents = telling.compactMap(\.percent)
        guard !percents.isEmpty else {
            let names = batteries.map(\.name).joined(separator: ", ")
            return finding(nil, .unknown, "\(names) tells no charge")
        }
        if batteries.count == 1 {
            let because = "\(batteries[0].name) is at \(percents[0])%"
            return finding(Int(percents[0]), .measured, because)
        }
        let names = telling.map { "\($0.name) \($0.percent ?? 0)%" }.joined(separator: ", ")
        let weights = telling.compactMap(\.fullEnergy)
        guard weights.count == telling.count, weights.reduce(0, +) > 0 else {
            return finding(
                Int(percents.reduce(0, +)) / percents.count, .derived,
                "the mean of \(names), whose sizes are not all known")
        }
        let stored = zip(percents, weights).map { Double($0) * $1 }.reduce(0, +)
        return finding(
            Int(stored / weights.reduce(0, +)), .derived, "\(names), weighted by energy")
    }
}

extension PowerSupply {
    /// 0 to 100; some drivers report no percentage, some more than 100.
    fileprivate var percent: Int64? {
        if let capacity { return min(max(capacity, 0), 100) }
        let (now, full) = energyFull == nil ? (chargeNow, chargeFull) : (energyNow, energyFull)
        guard let now, let full, full > 0 else { return nil }
        return Int64(min(max(Double(now) / Double(full) * 100, 0), 100))
    }

    /// Microwatt hours when full.
    fileprivate var fullEnergy: Double? {
        if let energyFull { return Double(energyFull) }
        guard let chargeFull, let voltage else { return nil }
        return Double(chargeFull) * Double(voltage) / 1e6
    }
}
