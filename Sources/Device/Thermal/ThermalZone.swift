// SPDX-License-Identifier: Apache-2.0

/// One sensor of /sys/class/thermal with the temperatures at which the kernel acts.
struct ThermalZone: Equatable, Sendable {
    static let path = "/sys/class/thermal"

    /// thermal_zone0
    var name: String
    /// The measured part: x86_pkg_temp, cpu-thermal, acpitz.
    var type: String
    /// Thousandths of a degree Celsius.
    var temperature: Int64
    /// The lowest trip point of each kind; nil without one.
    var passive: Int64?
    var hot: Int64?
    var critical: Int64?

    /// Every zone that reports a temperature.
    static func all(_ files: SystemFiles) -> [ThermalZone] {
        (files.names(in: path) ?? []).filter { $0.hasPrefix("thermal_zone") }
            .compactMap { ThermalZone($0, files) }
    }
}

extension ThermalZone {
    private init?(_ name: String, _ files: SystemFiles) {
        let zone = Self.path + "/" + name
        guard let temperature = files.number(zone + "/temp"),
            files.text(zone + "/mode") != "disabled"
        else { return nil }
        self.init(name: name, type: files.text(zone + "/type") ?? name, temperature: temperature)
        var index = 0
        while let kind = files.text(zone + "/trip_point_\(index)_type") {
            let trip = files.number(zone + "/trip_point_\(index)_temp")
            index += 1
            // Drivers write zero or -274000 for an unset trip point.
            guard let trip, trip > 0 else { continue }
            switch kind {
            case "passive": passive = min(trip, passive ?? .max)
            case "hot": hot = min(trip, hot ?? .max)
            case "critical": critical = min(trip, critical ?? .max)
            default: break
            }
        }
    }
}
