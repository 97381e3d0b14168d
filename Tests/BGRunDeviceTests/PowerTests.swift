// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunTestMachine
import Testing

@testable import BGRunDevice

@Suite("Power and battery", .timeLimit(.minutes(10)))
struct PowerTests {
    struct Machine: CustomTestStringConvertible, Sendable {
        var name: String
        var power: Reading
        var confidence: Confidence
        var battery: Int?
        var testDescription: String { name }
    }

    @Test(
        "each machine has the expected readings",
        arguments: [
            Machine(name: "laptop", power: .no, confidence: .measured, battery: 73),
            Machine(name: "two-batteries", power: .yes, confidence: .measured, battery: 40),
            Machine(name: "bluetooth-mouse", power: .yes, confidence: .derived, battery: nil),
            Machine(name: "usb-pd", power: .yes, confidence: .measured, battery: 50),
            Machine(name: "desktop", power: .yes, confidence: .derived, battery: nil),
            Machine(name: "vm", power: .yes, confidence: .assumed, battery: nil),
            Machine(name: "container", power: .unknown, confidence: .unknown, battery: nil),
        ])
    func machines(_ machine: Machine) throws {
        let snapshot = try Tree(named: machine.name).read { PowerSnapshot($0) }
        let power = PowerRule.externalPower(snapshot)
        #expect(power.value == machine.power, "\(power.because)")
        #expect(power.confidence == machine.confidence)
        #expect(BatteryRule.percent(snapshot).value == machine.battery)
    }

    private static func adapter(_ online: Bool) -> PowerSupply {
        PowerSupply(name: "ACAD", type: "Mains", online: online)
    }

    private static func battery(_ status: PowerSupply.Status?, _ capacity: Int64? = 50)
        -> PowerSupply
    {
        PowerSupply(name: "BAT0", type: "Battery", status: status, capacity: capacity)
    }

    private static func power(_ supplies: PowerSupply...) -> Finding<Reading> {
        PowerRule.externalPower(PowerSnapshot(supplies: supplies, isVirtual: false))
    }

    struct Conflict: CustomTestStringConvertible, Sendable {
        var adapter: Bool?
        var status: PowerSupply.Status?
        var power: Reading
        var confidence: Confidence
        var testDescription: String {
            "adapter \(adapter.map { $0 ? "online" : "offline" } ?? "absent"), "
                + "battery \(status?.rawValue ?? "silent")"
        }
    }

    @Test(
        "a disagreement of adapter and battery is resolved",
        arguments: [
            Conflict(adapter: true, status: .charging, power: .yes, confidence: .measured),
            Conflict(adapter: true, status: .discharging, power: .yes, confidence: .derived),
            Conflict(adapter: true, status: .full, power: .yes, confidence: .measured),
            Conflict(adapter: false, status: .discharging, power: .no, confidence: .measured),
            Conflict(adapter: false, status: .charging, power: .yes, confidence: .derived),
            Conflict(adapter: false, status: .notCharging, power: .no, confidence: .derived),
            Conflict(adapter: false, status: .full, power: .no, confidence: .derived),
            Conflict(adapter: false, status: .unknown, power: .no, confidence: .derived),
            Conflict(adapter: nil, status: .discharging, power: .no, confidence: .derived),
            Conflict(adapter: nil, status: .charging, power: .yes, confidence: .derived),
            Conflict(adapter: nil, status: .notCharging, power: .yes, confidence: .derived),
            Conflict(adapter: nil, status: .full, power: .yes, confidence: .assumed),
            Conflict(adapter: nil, status: .unknown, power: .unknown, confidence: .unknown),
            Conflict(adapter: nil, status: nil, power: .unknown, confidence: .unknown),
        ])
    func conflicts(_ conflict: Conflict) {
        let supplies =
            (conflict.adapter.map { [Self.adapter($0)] } ?? []) + [Self.battery(conflict.status)]
        let power = PowerRule.externalPower(PowerSnapshot(supplies: supplies, isVirtual: false))
        #expect(power.value == conflict.power)
        #expect(power.confidence == conflict.confidence)
    }

    @Test("an adapter whose driver does not know its state is ignored")
    func silentAdapter() {
        let adapter = PowerSupply(name: "AC", type: "Mains", online: nil)
        #expect(Self.power(adapter, Self.battery(.discharging)).value == .no)
        #expect(Self.power(adapter, Self.battery(.unknown)).value == .unknown)
    }

    @Test("an uninterruptible supply that discharges is a battery")
    func uninterruptible() {
        let supply = PowerSupply(name: "ups", type: "UPS", status: .discharging, capacity: 80)
        #expect(Self.power(supply).value == .no)
    }

    @Test(
        "a charge outside 0 to 100 is brought into that range",
        arguments: [(-3, 0), (0, 0), (55, 55), (100, 100), (104, 100)] as [(Int64, Int)])
    func range(capacity: Int64, percent: Int) {
        let snapshot = PowerSnapshot(
            supplies: [Self.battery(.discharging, capacity)], isVirtual: false)
        #expect(BatteryRule.percent(snapshot).value == percent)
    }

    @Test("a battery that is not present is ignored", arguments: [(0, 60), (1, 40)])
    func emptyBay(present: Int, percent: Int) throws {
        let path = PowerSnapshot.path
        let tree = try Tree([
            "\(path)/BAT0/type = Battery", "\(path)/BAT0/capacity = 60",
            "\(path)/BAT1/type = Battery", "\(path)/BAT1/capacity = 20",
            "\(path)/BAT1/present = \(present)",
        ])
        #expect(BatteryRule.percent(tree.read { PowerSnapshot($0) }).value == percent)
    }

    @Test("batteries of unknown size count equally; one without readings is ignored")
    func mean() {
        var silent = Self.battery(.discharging, nil)
        silent.name = "BAT2"
        var second = Self.battery(.discharging, 20)
        second.name = "BAT1"
        let snapshot = PowerSnapshot(
            supplies: [Self.battery(.discharging, 80), second, silent], isVirtual: false)
        #expect(BatteryRule.percent(snapshot).value == 50)
        var sized = Self.battery(.discharging, 80)
        sized.energyFull = 50
        let oneSized = PowerSnapshot(supplies: [sized, second], isVirtual: false)
        #expect(BatteryRule.percent(oneSized).value == 50)
        let none = PowerSnapshot(supplies: [silent], isVirtual: false)
        #expect(BatteryRule.percent(none).value == nil)
        #expect(BatteryRule.percent(none).confidence == .unknown)
    }

    @Test("the processor and the kernel agree on whether a hypervisor runs this machine")
    func hypervisor() {
        let files = SystemFiles(root: "")
        let cpuinfo = files.text("/proc/cpuinfo") ?? ""
        let isVirtual =
            files.exists("/sys/hypervisor/type")
            || cpuinfo.split(whereSeparator: \.isWhitespace).contains("hypervisor")
        #expect(PowerSnapshot(files).isVirtual == isVirtual)
    }
}
