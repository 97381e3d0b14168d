// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunPolicy
import BGRunSystem
import BGRunTestMachine
import Testing

@testable import BGRunDevice

/// Uses a real bus: dbus-daemon, and python-dbusmock for the services.
@Suite("The system bus", .timeLimit(.minutes(10)))
struct BusTests {
    private static let networkManager = (
        name: "org.freedesktop.NetworkManager", path: "/org/freedesktop/NetworkManager"
    )
    private static let profiles = (
        name: "net.hadess.PowerProfiles", path: "/net/hadess/PowerProfiles"
    )
    private static let logind = "org.freedesktop.login1"

    private static func device(_ bus: PrivateBus) throws -> WatchedDevice {
        try WatchedDevice(try Tree(named: "container"), bus: bus.address)
    }

    @Test("a bus without services is complete and reports that they are missing")
    func empty() throws {
        let bus = try PrivateBus()
        let report = try Self.device(bus).first()
        #expect(report.lowPowerMode.value == .no)
        #expect(report.lowPowerMode.confidence == .assumed)
        #expect(report.network.value == .unknown)
    }

    @Test("low-power mode follows the power profile, and is unknown without its daemon")
    func profiles() throws {
        let bus = try PrivateBus()
        let device = try Self.device(bus)
        _ = try device.first()
        try bus.start("power_profiles_daemon")
        _ = try device.report {
            $0.lowPowerMode.value == .no && $0.lowPowerMode.confidence == .measured
        }
        let (name, path) = Self.profiles
        try bus.set("ActiveProfile", of: name, path, name, to: "string:power-saver")
        let saving = try device.report { $0.lowPowerMode.value == .yes }
        #expect(saving.lowPowerMode.source == name)
        bus.stop("power_profiles_daemon")
        let gone = try device.report { $0.lowPowerMode.value == .no }
        #expect(gone.lowPowerMode.confidence == .assumed)
    }

    @Test("the network follows the connectivity and the metering guess of NetworkManager")
    func network() throws {
        let bus = try PrivateBus()
        try bus.start("networkmanager")
        let device = try Self.device(bus)
        let (name, path) = Self.networkManager
        let first = try device.report { $0.network.value == .yes }
        #expect(first.connectivity.value == .full)
        #expect(first.metered.value == .unknown)

        try bus.send(
            name, path, "org.freedesktop.DBus.Mock.AddProperty",
            ["string:\(name)", "string:Metered", "variant:uint32:4"])
        try bus.set("Metered", of: name, path, name, to: "uint32:3")
        let guessed = try device.report { $0.metered.value == .guessYes }
        #expect(guessed.metered.confidence == .derived)
        #expect(guessed.state.networkMetered == .yes)

        try bus.set("Connectivity", of: name, path, name, to: "uint32:2")
        #expect(try device.report { $0.connectivity.value == .portal }.network.value == .no)
        bus.stop("networkmanager")
        #expect(try device.report { $0.connectivity.value == .unknown }.network.value == .unknown)
    }

    @Test("idleness follows the hint, the lock and the end of logind's session")
    func idle() throws {
        let bus = try PrivateBus()
        try bus.start("logind")
        let device = try Self.device(bus)
        let empty = try device.report { $0.userIdle.value == .yes }
        #expect(empty.userIdle.confidence == .derived)

        try bus.send(
            Self.logind, "/org/freedesktop/login1", "org.freedesktop.DBus.Mock.AddSession",
            ["string:c1", "string:seat0", "uint32:500", "string:joe", "boolean:true"])
        let session = "/org/freedesktop/login1/session/c1"
        let interface = "org.freedesktop.login1.Session"
        try bus.set("IdleHint", of: Self.logind, session, interface, to: "boolean:false")
        #expect(try device.report { $0.userIdle.value == .no }.userIdle.confidence == .measured)
        try bus.set("IdleHint", of: Self.logind, session, interface, to: "boolean:true")
        _ = try device.report { $0.userIdle.value == .yes }
        try bus.set("IdleHint", of: Self.logind, session, interface, to: "boolean:false")
        _ = try device.report { $0.userIdle.value == .no }
        try bus.set("LockedHint", of: Self.logind, session, interface, to: "boolean:true")
        let locked = try device.report { $0.userIdle.value == .yes }
        #expect(locked.userIdle.because.contains("locked"))
        // logind signals the change; the device need not poll.
        device.device?.needs = PolledReadings(.idle)
        #expect(device.device?.mustLook == false)
    }

    @Test("idleness follows each of logind's sessions")
    func idleSessions() throws {
        let bus = try PrivateBus()
        try bus.start("logind")
        let device = try Self.device(bus)
        func set(_ session: String, isIdle: Bool) throws {
            try bus.set(
                "IdleHint", of: Self.logind, "/org/freedesktop/login1/session/\(session)",
                "org.freedesktop.login1.Session", to: "boolean:\(isIdle)")
        }
        for session in ["c1", "c2"] {
            try bus.send(
                Self.logind, "/org/freedesktop/login1", "org.freedesktop.DBus.Mock.AddSession",
                ["string:\(session)", "string:seat0", "uint32:500", "string:joe", "boolean:true"])
            try set(session, isIdle: true)
        }
        for session in ["c1", "c2"] {
            try set(session, isIdle: false)
            let used = try device.report { $0.userIdle.value == .no }
            #expect(used.userIdle.because == "session \(session) is in use")
            try set(session, isIdle: true)
            _ = try device.report { $0.userIdle.value == .yes }
        }
    }

    @Test("readings are unknown when the bus disconnects, and known again when it returns")
    func lostBus() throws {
        let bus = try PrivateBus()
        let device = try Self.device(bus)
        _ = try device.report { $0.lowPowerMode.value == .no }
        bus.stop()
        let report = try device.report { $0.lowPowerMode.value == .unknown }
        #expect(report.lowPowerMode.because.contains("system bus is missing"))
        try bus.restart()
        _ = try device.report { $0.lowPowerMode.value == .no }
    }

    @Test("many messages are processed over several rounds of the loop")
    func manyMessages() throws {
        let bus = try PrivateBus()
        let loop = try EventLoop()
        let connection = try #require(try BusConnection(loop, address: bus.address))
        var (replies, before, most) = (0, 0, 0)
        let calls = 2_000
        for _ in 0..<calls {
            connection.call(
                "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetId"
            ) { _ in replies += 1 }
        }
        func round() {
            most = max(most, replies - before)
            before = replies
            if replies == calls { loop.stop() } else { loop.inNextRound(round) }
        }
        loop.inNextRound(round)
        loop.run()
        // A round handles postponed work and readable sockets.
        #expect(most <= 2 * BusConnection.messagesOfRound)
    }

    @Test("only a single path of a missing socket is a missing bus")
    func missingBus() {
        for address in ["unix:path=/missing", "unix:path=/missing,guid=1"] {
            #expect(BusConnection.isMissing(address))
        }
        for address in [
            "unix:path=/dev/null", "unix:path=/missing;unix:path=/dev/null",
            "unix:path=/dev%2fnull",
            "tcp:host=localhost",
        ] {
            #expect(!BusConnection.isMissing(address), "\(address)")
        }
    }

    @Test("a bus that starts later is used from then on, however deep its directory is")
    func laterBus() throws {
        let tree = try Tree()
        let address = "unix:path=\(tree.root)/run/dbus/socket"
        let device = try WatchedDevice(tree, bus: address)
        #expect(try device.first().lowPowerMode.value == .unknown)
        try tree.set("/run/dbus/ =")
        let bus = try PrivateBus(at: address)
        _ = try device.report { $0.lowPowerMode.value == .no }
        bus.stop()
    }
}
