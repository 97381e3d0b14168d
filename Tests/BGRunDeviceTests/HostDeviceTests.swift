// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunPolicy
import BGRunTestMachine
import Glibc
import Testing

@testable import BGRunDevice

@Suite("The device of the host", .timeLimit(.minutes(10)))
struct HostDeviceTests {
    @Test("a laptop is reported completely and only once")
    func laptop() throws {
        let device = try WatchedDevice(try Tree(named: "laptop"))
        let report = try device.first()
        #expect(report.state.externalPower == .no)
        #expect(report.state.batteryPercent == 73)
        #expect(report.state.thermal == .fair)
        #expect(report.state.pressure == .no)
        #expect(report.state.gpu == .yes)
        #expect(report.state.storageLow != .unknown)
        #expect(device.device?.isComplete == true)
        #expect(device.reports.count == 1)
    }

    @Test("without sources every reading is unknown and states why")
    func container() throws {
        let report = try WatchedDevice(try Tree(named: "container")).first()
        let known = report.rows.filter { $0.confidence != .unknown }.map(\.reading)
        #expect(known == ["storage", "gpu"])
        #expect(report.rows.allSatisfy { !$0.because.isEmpty })
        #expect(
            report.state.satisfiedConditions(policy: .apple).subtracting(.storageNotLow).isEmpty)
    }

    @Test("a change of the files is reported after a poll; a poll without a change reports nothing")
    func look() throws {
        let tree = try Tree(named: "laptop")
        let device = try WatchedDevice(tree)
        _ = try device.first()
        device.device?.look()
        try tree.set("/sys/class/power_supply/AC/online = 1")
        try tree.set("/sys/class/power_supply/BAT0/status = Charging")
        device.device?.look()
        let report = try device.report { $0.power.value == .yes }
        #expect(report.power.confidence == .measured)
        #expect(device.reports.count == 2)
    }

    @Test("a reading that nothing announces is polled as soon as it is needed")
    func needs() throws {
        let tree = try Tree(named: "laptop")
        let device = try WatchedDevice(tree)
        _ = try device.first()
        try tree.set("/sys/class/power_supply/BAT0/capacity = 19")
        device.device?.needs = PolledReadings(.batteryNotLow)
        #expect(try device.report { $0.battery.value == 19 }.battery.confidence == .measured)
    }

    @Test(
        "only conditions that nothing announces are polled",
        arguments: [
            ([.idle], [.idle]),
            ([.batteryNotLow, .storageNotLow], [.battery, .power, .plain]),
            ([.externalPower, .network, .unmeteredNetwork], [.power]), ([], []),
        ] as [(Conditions, PolledReadings)])
    func looked(conditions: Conditions, needs: PolledReadings) {
        #expect(PolledReadings(conditions) == needs)
    }

    @Test("a device of which nothing is needed does not poll")
    func rest() throws {
        let device = try WatchedDevice(try Tree(named: "laptop"))
        _ = try device.first()
        #expect(device.device?.mustLook == false)
        for conditions: Conditions in [.externalPower, [.network, .unmeteredNetwork]] {
            device.device?.needs = PolledReadings(conditions)
            #expect(device.device?.mustLook == false)
        }
        device.device?.needs = PolledReadings(.idle)
        #expect(device.device?.mustLook == true)
        device.device?.needs = []
        #expect(device.device?.mustLook == false)
    }

    @Test(
        "power is polled where uevents do not arrive, while it is needed",
        arguments: [("0 0 4294967295", false), ("0 100000 65536", true)])
    func rootless(map: String, mustLook: Bool) throws {
        let tree = try Tree(named: "laptop")
        try tree.set("/proc/self/uid_map = \(map)")
        let device = try WatchedDevice(tree, listensToKernel: true)
        _ = try device.first()
        #expect(device.device?.mustLook == false)
        device.device?.needs = PolledReadings(.externalPower)
        #expect(device.device?.mustLook == mustLook)
    }

    @Test(
        "factors of requests that nothing announces are polled",
        arguments: [
            (.criticalBattery, [.battery, .power]), (.powerPreference, [.battery, .power]),
            (.thermal, [.heat]),
            (.pressure, [.pressure]), (.lowPowerMode, []), (.budget, []), (.appUsage, []),
        ] as [(Factor, PolledReadings)])
    func lookedFactors(factor: Factor, needs: PolledReadings) {
        #expect(PolledReadings([], Factors([factor])) == needs)
        #expect(PolledReadings([.gpu], Factors([factor])) == needs.union(.plain))
    }

    @Test(
        "parts that the machine does not have are not polled",
        arguments: [("container", false), ("laptop", true)])
    func absent(tree: String, mustLook: Bool) throws {
        let device = try WatchedDevice(try Tree(named: tree))
        _ = try device.first()
        for needs: PolledReadings in [.heat, .battery, .pressure] {
            device.device?.needs = needs
            #expect(device.device?.mustLook == mustLook, "\(needs)")
        }
    }

    @Test("a need that is withdrawn is watched until the next poll")
    func lingering() throws {
        let device = try WatchedDevice(try Tree(named: "laptop"))
        _ = try device.first()
        device.device?.needs = .heat
        device.device?.needs = []
        #expect(device.device?.watched == .heat)
        device.device?.lookIsDue()
        #expect(device.device?.watched == [])
    }

    @Test("a reading older than a minute is refreshed before a decision")
    func freshen() throws {
        let device = try WatchedDevice(try Tree(named: "laptop"))
        _ = try device.first()
        try device.tree.set("/sys/class/thermal/thermal_zone1/temp = 95000")
        device.device?.freshen()
        #expect(device.reports.last?.thermal.value == .fair)
        device.device?.lastLook -= HostDevice.lookInterval
        device.device?.freshen()
        #expect(device.reports.last?.thermal.value == .serious)
    }

    @Test("a file that is written into the root of a simulated machine causes a poll")
    func announced() throws {
        let device = try WatchedDevice(try Tree(named: "laptop"))
        _ = try device.first()
        try device.tree.set("/sys/class/power_supply/BAT0/capacity = 72")
        try device.tree.announce()
        _ = try device.report { $0.battery.value == 72 }
    }

    @Test(
        "pressure that the kernel does not announce is polled")
    func pressure() throws {
        let device = try WatchedDevice(try Tree(named: "laptop"))
        _ = try device.first()
        device.device?.needs = .pressure
        #expect(device.device?.mustLook == true)
        try device.tree.set("/proc/pressure/memory = some avg10=10.00 avg60=0.00")
        device.device?.look()
        #expect(try device.report { $0.pressure.value == .yes }.pressure.confidence == .measured)
    }

    /// Uses the PSI of the machine; root may always set triggers.
    @Test(
        "the kernel accepts the triggers",
        .enabled(if: geteuid() == 0 && access("/proc/pressure/cpu", W_OK) == 0))
    func triggers() throws {
        let loop = try EventLoop()
        let triggers = PressureTriggers(loop, SystemFiles(root: "")) {}
        #expect(triggers.isComplete)
    }

    @Test("the machine was suspended if only one of the two clocks continued")
    func sleep() {
        var watch = SleepWatch(elapsed: 5_000_000_000, monotonic: 5_000_000_000)
        let clocks: [(elapsed: Int64, monotonic: Int64)] = [
            (6_000, 6_000), (6_050, 6_000), (96_000, 6_000), (97_000, 7_000),
        ]
        let slept = clocks.map {
            watch.look(elapsed: $0.elapsed * 1_000_000, monotonic: $0.monotonic * 1_000_000)
        }
        #expect(slept == [nil, nil, 90_000_000_000, nil])
    }
}
