// SPDX-License-Identifier: Apache-2.0

import BGRunCore
public import BGRunLoop
import CBGRunShims
import Glibc

/// The machine bgrun runs on. Listens to the kernel and the system bus, and says when what it knows
/// has changed; while nothing changes it uses no time at all.
///
/// Belongs to the loop's thread.
public final class HostDevice {
    /// Where the device looks; tests bring trees and buses of their own.
    public struct Places: Sendable {
        /// Stands before /sys, /proc, /dev.
        public var root: String
        /// The D-Bus address; nil for the system bus.
        public var bus: String?
        /// Whether the kernel is listened to: uevents, routes, pressure.
        public var listensToKernel: Bool

        public init(root: String = "", bus: String? = nil, listensToKernel: Bool = true) {
            self.root = root
            self.bus = bus
            self.listensToKernel = listensToKernel
        }
    }

    /// Between two looks at what nothing announces.
    static let lookInterval: Int64 = 60_000_000_000
    /// From one event of high pressure to the look whether it is over.
    static let pressureInterval: Int64 = 10_000_000_000

    let loop: EventLoop
    let files: SystemFiles
    let stateDirectory: String
    private let changed: (DeviceReport) -> Void
    private var isPublishing = false

    var bus: SystemBus?
    private var uevents: NetlinkSocket?
    private var routes: RouteTracker?
    private var triggers: PressureTriggers?
    private let listensToKernel: Bool
    private var clocks: ClockWatch?
    private var lookTimer: LoopTimer?
    private var pressureTimer: LoopTimer?
    private var sleepWatch = SleepWatch()

    /// What is known now.
    public private(set) var report: DeviceReport
    /// Whether everything that can tell has told once.
    public private(set) var isComplete = false
    /// Called once, when `isComplete` has become true.
    public var completed: (() -> Void)?
    /// Called with the nanoseconds the machine was suspended, after it has resumed.
    public var resumed: ((Int64) -> Void)?
    /// Called when logind is about to suspend the machine (true), and when it has resumed (false).
    public var sleeping: ((Bool) -> Void)?
    private var isPreparingForSleep = false
    private var terminals: Terminals

    /// The readings somebody needs that may have to be looked for.
    public var needs: LookedFor = [] {
        didSet {
            guard needs != oldValue else { return }
            if needs.contains(.pressure) != oldValue.contains(.pressure) { listenToPressure() }
            if !needs.subtracting(oldValue).isEmpty { look() }
            scheduleLook()
        }
    }

    /// `changed` is called from the loop with the first complete report, and with each that differs
    /// from the one before it.
    /// A source that is not there is no failure: its readings say so.
    public init(
        loop: EventLoop, stateDirectory: String, places: Places = Places(),
        changed: @escaping (DeviceReport) -> Void
    ) throws(SystemFailure) {
        self.loop = loop
        self.stateDirectory = stateDirectory
        self.changed = changed
        files = SystemFiles(root: places.root)
        listensToKernel = places.listensToKernel
        terminals = Terminals(files)
        report = DeviceReport(nothingHeardFrom: files, stateDirectory: stateDirectory)
        lookTimer = try LoopTimer(loop) { [unowned self] in
            look()
            scheduleLook()
        }
        pressureTimer = try LoopTimer(loop) { [unowned self] in lookAtPressure() }
        clocks = try ClockWatch(loop) { [unowned self] in clockChanged() }
        if places.listensToKernel { listenToKernel() }
        bus = SystemBus(loop, address: places.bus) { [unowned self] in busChanged() }
        publishAfterRound()
    }

    private func listenToKernel() {
        uevents = try? NetlinkSocket(loop, protocol: NETLINK_KOBJECT_UEVENT, groups: 1) {
            [unowned self] datagram in
            guard let datagram else { return look() }
            if let event = Uevent(datagram) { heard(event) }
        }
        routes = try? RouteTracker(loop) { [unowned self] in publishAfterRound() }
    }

    private func listenToPressure() {
        triggers = nil
        guard listensToKernel, needs.contains(.pressure) else { return }
        triggers = PressureTriggers(loop, files) { [unowned self] in lookAtPressure() }
    }

    /// Reads everything again that is read from files, and asks logind for its terminals.
    public func look() {
        readPower()
        report.thermal = ThermalRule.state(ThermalZone.all(files))
        report.storageLow = StorageRule.isLow(
            StorageSnapshot(directory: stateDirectory), path: stateDirectory)
        report.gpu = GPURule.isPresent(GPUNode.all(files))
        report.pressure = PressureRule.isHigh(
            PressureSnapshot(files), before: report.pressure.value)
        terminals = Terminals(files)
        if needs.contains(.idle) { bus?.lookAgain() }
        publishAfterRound()
    }

    private func heard(_ event: Uevent) {
        switch event.subsystem {
        case "power_supply", "typec": readPower()
        case "thermal": report.thermal = ThermalRule.state(ThermalZone.all(files))
        case "drm": report.gpu = GPURule.isPresent(GPUNode.all(files))
        default: return
        }
        publishAfterRound()
    }

    private func readPower() {
        let power = PowerSnapshot(files)
        report.power = PowerRule.externalPower(power)
        report.battery = BatteryRule.percent(power)
    }

    private func lookAtPressure() {
        report.pressure = PressureRule.isHigh(
            PressureSnapshot(files), before: report.pressure.value)
        let isHigh = report.pressure.value == .yes
        pressureTimer?.set(elapsed: isHigh ? bgrun_boottime_ns() + Self.pressureInterval : nil)
        publishAfterRound()
    }

    private func clockChanged() {
        guard let nanoseconds = sleepWatch.look() else { return }
        look()
        resumed?(nanoseconds)
    }

    private func busChanged() {
        let isPreparing = bus?.logind?.value?.isPreparingForSleep ?? false
        if isPreparing != isPreparingForSleep {
            isPreparingForSleep = isPreparing
            sleeping?(isPreparing)
        }
        scheduleLook()
        publishAfterRound()
    }

    /// Whether somebody needs what only a look can tell.
    var mustLook: Bool {
        if !needs.isDisjoint(with: [.battery, .storage, .heat]) { return true }
        if needs.contains(.pressure), !(triggers?.isComplete ?? false) { return true }
        guard needs.contains(.idle) else { return false }
        // A desktop announces its idleness, a terminal does not.
        return bus?.logind?.value?.sessions.contains { $0.type == "tty" } ?? true
    }

    private func scheduleLook() {
        lookTimer?.set(elapsed: mustLook ? bgrun_boottime_ns() + Self.lookInterval : nil)
    }

    /// Events of one round make one report.
    private func publishAfterRound() {
        guard !isPublishing else { return }
        isPublishing = true
        loop.afterThisRound { [weak self] in self?.publish() }
    }

    private var published: DeviceReport?

    private func publish() {
        isPublishing = false
        readBus()
        if !isComplete {
            guard bus?.isKnown ?? true, routes == nil || routes?.network != nil else { return }
            isComplete = true
            loop.afterThisRound { [weak self] in self?.completed?() }
        }
        guard report != published else { return }
        published = report
        changed(report)
    }

    private func readBus() {
        report.lowPowerMode = LowPowerRule.isOn(bus?.profile ?? .noBus)
        let network = NetworkRule.findings(bus?.network?.value, routes?.network)
        report.network = network.network
        report.metered = network.metered
        report.connectivity = network.connectivity
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        if let logind = bus?.logind?.value {
            report.userIdle = IdleRule.isIdle(logind.sessions, now: Int64(now.tv_sec))
        } else {
            report.userIdle = IdleRule.isIdle(
                terminals, pressure: report.pressure.value, before: report.userIdle.value,
                now: Int64(now.tv_sec))
        }
    }
}
