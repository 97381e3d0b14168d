// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// The thermal state of the machine, by its trip points: at `passive` the kernel throttles it, at `critical` the
/// kernel switches it off.
enum ThermalRule {
    /// The distance below the passive trip point at which it is warm. Our choice.
    static let warning: Int64 = 10_000
    /// The distance to the critical trip point at which it counts as reached. Our choice.
    static let margin: Int64 = 5_000
    /// The assumed distance of a missing passive trip point below the critical one. Our choice.
    static let passiveBelowCritical: Int64 = 15_000

    static func state(_ zones: [ThermalZone]) -> Finding<ThermalState?> {
        let judged = zones.compactMap { zone in state(of: zone).map { (zone, $0) } }
        guard let (zone, worst) = judged.max(by: { $0.1 < $1.1 }) else {
            let because =
                zones.isEmpty
                ? "the kernel tells no temperature" : "no sensor tells what is too hot for it"
            return Finding(nil, from: ThermalZone.path, .unknown, because: because)
        }
        let trips = [("passive", zone.passive), ("hot", zone.hot), ("critical", zone.critical)]
            .compactMap { name, trip in trip.map { "\(name) at \(degrees($0))" } }
        return Finding(
            worst, from: "\(ThermalZone.path)/\(zone.name)",
            zone.passive == nil ? .derived : .measured,
            because: "\(zone.type) is at \(degrees(zone.temperature)); "
                + trips.joined(separator: ", "))
    }

    private static func state(of zone: ThermalZone) -> ThermalState? {
        let last = [zone.hot, zone.critical.map { $0 - margin }].compactMap { $0 }.min()
        if let last, zone.temperature >= last { return .critical }
        guard let passive = zone.passive ?? zone.critical.map({ $0 - passiveBelowCritical }) else {
            return last == nil ? nil : .nominal
        }
        if zone.temperature >= passive { return .serious }
        return zone.temperature >= passive - warning ? .fair : .nominal
    }

    private static func degrees(_ thousandths: Int64) -> String { "\(thousandths / 1_000) °C" }
}
