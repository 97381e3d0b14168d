// SPDX-License-Identifier: Apache-2.0

import CBGRunShims
import Glibc

/// One entry of /sys/class/power_supply, as reported by the driver; nil for values it does not report.
struct PowerSupply: Equatable, Sendable {
    var name: String
    /// Mains, Battery, UPS, USB, Wireless, or a type of an old driver such as USB_PD.
    var type: String
    /// Whether it supplies power now.
    var online: Bool?
    /// Whether it supplies a peripheral such as a mouse or a headset, not this machine.
    var isPeripheral = false
    /// Whether its USB port draws power; false if it supplies an attached device.
    var isSink = true
    /// Whether the battery is in its bay.
    var isPresent = true
    var status: Status?
    /// Per cent.
    var capacity: Int64?
    /// Microwatt hours.
    var energyNow: Int64?
    var energyFull: Int64?
    /// Microampere hours.
    var chargeNow: Int64?
    var chargeFull: Int64?
    /// Microvolts.
    var voltage: Int64?

    enum Status: String, Sendable {
        case charging = "Charging"
        case discharging = "Discharging"
        case notCharging = "Not charging"
        case full = "Full"
        case unknown = "Unknown"
    }

    /// Whether it is an external source: a mains adapter, USB, a charging pad.
    var isLine: Bool {
        type == "Mains" || type == "Wireless" || type.hasPrefix("USB") || type == "BrickID"
    }

    /// Whether it stores power for this machine. An uninterruptible power supply counts as a battery.
    var isSystemBattery: Bool { (type == "Battery" || type == "UPS") && !isPeripheral && isPresent }
}

/// Every power supply of the machine.
struct PowerSnapshot: Equatable, Sendable {
    static let path = "/sys/class/power_supply"

    /// Nil if the kernel has no such directory.
    var supplies: [PowerSupply]?
    /// Whether this machine is virtual: its hypervisor hides the batteries of the real one.
    var isVirtual: Bool
}

extension PowerSnapshot {
    init(_ files: SystemFiles) {
        supplies = files.names(in: Self.path)?.map { PowerSupply($0, files) }
        isVirtual = files.exists("/sys/hypervisor/type") || Self.hasHypervisor(files)
    }

    /// Asks the processor if possible: for a read of /proc/cpuinfo, the kernel formats a page per
    /// processor.
    private static func hasHypervisor(_ files: SystemFiles) -> Bool {
        let answer = files.root.isEmpty ? bgrun_has_hypervisor() : -ENOTSUP
        if answer >= 0 { return answer > 0 }
        return files.text("/proc/cpuinfo").map { strstr($0, " hypervisor") != nil } ?? false
    }
}

extension PowerSupply {
    init(_ name: String, _ files: SystemFiles) {
        let path = PowerSnapshot.path + "/" + name
        self.name = name
        type = files.text(path + "/type") ?? "Unknown"
        online = files.number(path + "/online").map { $0 > 0 }
        isPeripheral = files.text(path + "/scope") == "Device"
        isSink = Self.isSink(path, files)
        isPresent = files.number(path + "/present") != 0
        status = files.text(path + "/status").map { Status(rawValue: $0) ?? .unknown }
        capacity = files.number(path + "/capacity")
        energyNow = files.number(path + "/energy_now")
        energyFull = files.number(path + "/energy_full")
        chargeNow = files.number(path + "/charge_now")
        chargeFull = files.number(path + "/charge_full")
        voltage = files.number(path + "/voltage_min_design") ?? files.number(path + "/voltage_now")
    }

    /// A USB-C port reports its role as `source [sink]`.
    private static func isSink(_ path: String, _ files: SystemFiles) -> Bool {
        let ports = files.names(in: path + "/device/typec") ?? []
        let roles = ports.compactMap { files.text(path + "/device/typec/\($0)/power_role") }
        return roles.isEmpty || roles.contains { $0.contains("[sink]") }
    }
}
