// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunPolicy
import CBGRunShims
import Glibc

/// The machine bgrun runs on. Listens to the kernel and the system bus, and reports changes; uses no time while
/// nothing changes. Belongs to the loop's thread.
package final class HostDevice {
    /// The sources of the device; tests replace them.
    package struct Places: Sendable {
        /// The prefix of /sys, /proc and /dev.
        var root = ""
        /// The D-Bus address; nil for the system bus.
        var bus: String?
        /// Whether it listens to the kernel: uevents, routes, pressure.
        var listensToKernel = true

        /// This machine; or, if BGRUN_DEVICE_ROOT names a directory, the one whose /sys, /proc and /dev are below
        /// it. After changing its files, a program must write any file into the directory itself.
        package static var environment: Places {
            guard let root = getenv("BGRUN_DEVICE_ROOT"), root.pointee != 0 else { return Places() }
            return Places(root: String(cString: root), listensToKernel: false)
        }
    }

    /// The interval of polls, for readings without notifications.
    static let lookInterval: Int64 = 60_000_000_000
    /// The time from an event of high pressure to the check whether it is over.
    static let pressureInterval: Int64 = 10_000_000_000

    let loop: EventLoop
    let files: SystemFiles
    let stateDirectory: String
    private var isPublishing = false

    var bus: SystemBus?
    private var uevents: NetlinkSocket?
    private var routes: RouteTracker?
    private var triggers: PressureTriggers?
    private let listensToKernel: Bool
    private var clocks: ClockWatch?
    private var rootWatch: DirectoryWatch?
    private var lookTimer: LoopTimer?
    private var pressureTimer: LoopTimer?
    private var sleepWatch = SleepWatch()
    private var sleepGuard: SleepGuard?
    private var isSuspending = false

    /// The current readings.
    package private(set) var report: DeviceReport
    /// Whether every source has reported once.
    private(set) var isComplete = false
    /// Whether the loop stops when `isComplete` has become true.
    private var awaitsCompletion = false
    /// Receives reports and announcements of sleep.
    package weak var observer: (any DeviceObserver)?
    private var terminals: Terminals

    /// The readings that are needed now and may have to be polled: at once, then while they are needed.
    package var needs: PolledReadings = [] {
        didSet {
            guard needs != oldValue else { return }
            if !watched.isSuperset(of: needs) {
                if needs.contains(.pressure), !watched.contains(.pressure), triggers == nil {
                    pressureTimer?.set(elapsed: bgrun_boottime_ns() + Self.pressureInterval)
                }
                watched.formUnion(needs)
                look()
            }
            scheduleLook()
        }
    }
    /// All readings that were needed since the poll timer was set.
    private(set) var watched: PolledReadings = []
    /// The due time of the poll timer; nil: not set.
    private var lookAt: Int64?
    /// CLOCK_BOOTTIME of the latest poll.
    var lastLook = bgrun_boottime_ns()

    /// A missing source is not an error: its readings say so.
    ///
    /// - Parameter awaitsBus: Whether a missing system bus may appear later. The kernel takes milliseconds to close
    ///   the watch for it.
    package init(
        loop: EventLoop, stateDirectory: String, places: Places = Places(), awaitsBus: Bool = true
    ) throws(SystemFailure) {
        self.loop = loop
        self.stateDirectory = stateDirectory
        files = SystemFiles(root: places.root)
        listensToKernel = places.listensToKernel
        terminals = Terminals(files)
        report = DeviceReport(nothingHeardFrom: files, stateDirectory: stateDirectory)
        lookTimer = try LoopTimer(loop) { [unowned self] in lookIsDue() }
        pressureTimer = try LoopTimer(loop) { [unowned self] in lookAtPressure() }
        clocks = try ClockWatch(loop) { [unowned self] in clockChanged() }
        if places.listensToKernel { listenToKernel() }
        if !places.root.isEmpty {
            rootWatch = DirectoryWatch(loop, places.root) { [unowned self] in look() }
        }
        sleepGuard = try SleepGuard(loop) { [unowned self] in sleepChanged() }
        bus = SystemBus(loop, address: places.bus, awaitsBus: awaitsBus) { [unowned self] in
            busChanged()
        }
        publishAfterRound()
    }

    /// Runs the loop until every source has reported once, or something else stops it.
    package func awaitCompletion() {
        awaitsCompletion = true
        loop.run()
        awaitsCompletion = false
    }

    /// Whether logind delays the machine's sleep from `deviceSuspends` until `readyToSleep`. Initially false.
    package var delaysSleep: Bool {
        get { sleepGuard?.isWanted ?? false }
        set {
            sleepGuard?.isWanted = newValue
            sleepGuard?.hear(bus?.sleep?.value, from: bus)
        }
    }

    /// Allows the machine to sleep. No effect unless it is about to.
    package func readyToSleep() { sleepGuard?.readyToSleep() }

    /// The kernel sends uevents to the first user namespace only (Linux 4.18): not into a rootless container.
    private var hearsUevents: Bool {
        guard listensToKernel else { return true }
        let fields = files.text("/proc/self/uid_map")?.split(whereSeparator: \.isWhitespace) ?? []
        return uevents != nil && (fields.isEmpty || fields == ["0", "0", "4294967295"])
    }

    private func listenToKernel() {
        uevents = try? NetlinkSocket(loop, protocol: NETLINK_KOBJECT_UEVENT, groups: 1) {
            [unowned self] datagram in
            guard let datagram else { return look() }
            if let event = Uevent(datagram) { heard(event) }
        }
        routes = try? RouteTracker(loop) { [unowned self] in publishAfterRound() }
    }

    /// Reads all files again, and asks logind for its terminals.
    func look() {
        lastLook = bgrun_boottime_ns()
        readPower()
        report.thermal = ThermalRule.state(ThermalZone.all(files))
        report.plain.look(files, stateDirectory: stateDirectory)
        report.pressure = PressureRule.isHigh(
            PressureSnapshot(files), before: report.pressure.value)
        terminals = Terminals(files)
        if needs.contains(.idle) { bus?.lookAtTerminals() }
        publishAfterRound()
    }

    /// Refreshes old readings before a decision that depends on them.
    package func freshen() {
        guard isComplete, bgrun_boottime_ns() - lastLook >= Self.lookInterval else { return }
        look()
        publish()
    }

    private func heard(_ event: Uevent) {
        switch event.subsystem {
        case "power_supply", "typec": readPower()
        case "thermal": report.thermal = ThermalRule.state(ThermalZone.all(files))
        case "drm": report.plain.look(files, stateDirectory: stateDirectory)
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
        if listensToKernel, triggers == nil, needs.contains(.pressure) {
            triggers = PressureTriggers(loop, files) { [unowned self] in lookAtPressure() }
        }
        // The kernel does not announce its end.
        let isHigh = report.pressure.value == .yes && watched.contains(.pressure)
        pressureTimer?.set(elapsed: isHigh ? bgrun_boottime_ns() + Self.pressureInterval : nil)
        publishAfterRound()
    }

    private func clockChanged() {
        guard sleepWatch.look() != nil else { return }
        look()
        bus?.lookAgain()
    }

    private func sleepChanged() {
        if sleepGuard?.isAboutToSleep == true {
            // Little time is left.
            guard !isSuspending else { return }
            isSuspending = true
            observer?.deviceSuspends(within: sleepGuard?.delay)
        } else if isSuspending {
            look()
        }
        publishAfterRound()
    }

    private func busChanged() {
        sleepGuard?.hear(bus?.sleep?.value, from: bus)
        scheduleLook()
        publishAfterRound()
    }

    /// Whether a needed reading is available only by polling.
    var mustLook: Bool {
        if needs.contains(.plain) { return true }
        // The arrival of a sensor or a battery is announced.
        if needs.contains(.heat), report.thermal.value != nil { return true }
        if needs.contains(.battery), report.battery.value != nil { return true }
        if needs.contains(.power), report.power.value != .unknown, !hearsUevents { return true }
        if needs.contains(.pressure), report.pressure.value != .unknown,
            !(triggers?.isComplete ?? false)
        {
            return true
        }
        guard needs.contains(.idle) else { return false }
        // A desktop announces its idleness, a terminal does not.
        return bus?.sessions?.value?.contains { $0.type == "tty" } ?? true
    }

    private func scheduleLook() {
        guard mustLook || watched != needs else { return setLook(nil) }
        if lookAt == nil { setLook(bgrun_boottime_ns() + Self.lookInterval) }
    }

    private func setLook(_ elapsed: Int64?) {
        guard elapsed != lookAt else { return }
        lookAt = elapsed
        lookTimer?.set(elapsed: elapsed)
    }

    func lookIsDue() {
        lookAt = nil
        watched = needs
        if !needs.contains(.pressure) { triggers = nil }
        if mustLook { look() }
        scheduleLook()
    }

    /// Combines the events of one round into one report.
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
            guard bus?.isKnown ?? true, routes == nil || routes?.network != nil,
                sleepGuard?.isSettled ?? true
            else { return }
            isComplete = true
            if awaitsCompletion { loop.afterThisRound { [loop] in loop.stop() } }
        }
        if report != published {
            published = report
            observer?.deviceReads(report)
        }
        if isSuspending, sleepGuard?.isAboutToSleep == false {
            isSuspending = false
            observer?.deviceResumed()
        }
    }

    private func readBus() {
        report.lowPowerMode = LowPowerRule.isOn(bus?.profile ?? .noBus)
        (report.network, report.metered, report.connectivity) = NetworkRule.findings(
            bus?.network?.value, routes?.network)
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        if let sessions = bus?.sessions?.value {
            report.userIdle = IdleRule.isIdle(sessions, now: Int64(now.tv_sec))
        } else {
            report.userIdle = IdleRule.isIdle(
                terminals, pressure: report.pressure.value, before: report.userIdle.value,
                now: Int64(now.tv_sec))
        }
    }
}
