// SPDX-License-Identifier: Apache-2.0

import BGRunTestMachine
import Foundation
import Testing

/// The built bgrun on a machine of files and a private bus.
@Suite("Revocations by the real device", .timeLimit(.minutes(5)))
struct RevocationTests {
    /// A loss of a resource, and its effect on a task.
    struct Loss: CustomTestStringConvertible, Sendable {
        /// The reason that the attempt gets.
        var reason: String
        var kind = "processing"
        var requires: String?
        /// The condition that the request waits for afterwards.
        var waits: String
        var services: [String] = []
        /// Runs before the host starts.
        var prepare: @Sendable (Machine) throws -> Void = { _ in }
        var lose: @Sendable (Machine) throws -> Void
        var gain: @Sendable (Machine) throws -> Void

        var testDescription: String { "\(kind) \(requires ?? ""): \(reason)" }
    }

    /// A laptop on external power, with these services.
    final class Machine {
        let tree: Tree
        let bus: PrivateBus

        init(_ services: [String]) throws {
            tree = try Tree(named: "laptop")
            bus = try PrivateBus()
            try files("/sys/class/power_supply/AC/online = 1")
            for service in services { try bus.start(service) }
            guard services.contains("logind") else { return }
            // The largest delay, so that a slow machine does not exceed it during the test.
            try bus.send(
                logind, "/org/freedesktop/login1", "org.freedesktop.DBus.Mock.AddProperty",
                [
                    "string:\(logind).Manager", "string:InhibitDelayMaxUSec",
                    "variant:uint64:3600000000",
                ])
        }

        /// Changes files, then announces the change.
        func files(_ lines: String...) throws {
            for line in lines { try tree.set(line) }
            try tree.announce()
        }

        func profile(_ name: String) throws {
            let daemon = "net.hadess.PowerProfiles"
            try bus.set(
                "ActiveProfile", of: daemon, "/net/hadess/PowerProfiles", daemon,
                to: "string:\(name)")
        }

        func network(_ property: String, _ value: Int) throws {
            let daemon = "org.freedesktop.NetworkManager"
            try bus.set(
                property, of: daemon, "/org/freedesktop/NetworkManager", daemon,
                to: "uint32:\(value)")
        }

        /// Adds the property that dbusmock's template lacks.
        func addMetered() throws {
            let daemon = "org.freedesktop.NetworkManager"
            try bus.send(
                daemon, "/org/freedesktop/NetworkManager", "org.freedesktop.DBus.Mock.AddProperty",
                ["string:\(daemon)", "string:Metered", "variant:uint32:4"])
        }

        func addSession() throws {
            try bus.send(
                logind, "/org/freedesktop/login1", "org.freedesktop.DBus.Mock.AddSession",
                ["string:c1", "string:seat0", "uint32:500", "string:joe", "boolean:true"])
            try session(isIdle: true)
        }

        func session(isIdle: Bool) throws {
            try bus.set(
                "IdleHint", of: logind, "/org/freedesktop/login1/session/c1",
                "org.freedesktop.login1.Session", to: "boolean:\(isIdle)")
        }

        func prepareForSleep(_ isPreparing: Bool) throws {
            try bus.set(
                "PreparingForSleep", of: logind, "/org/freedesktop/login1", logind + ".Manager",
                to: "boolean:\(isPreparing)")
        }

        /// Whether logind has an inhibitor lock of bgrun that delays sleep.
        var isSleepDelayed: Bool {
            let locks = try? bus.send(
                logind, "/org/freedesktop/login1", logind + ".Manager.ListInhibitors")
            return locks?.contains("\"bgrun\"") ?? false
        }

        private let logind = "org.freedesktop.login1"
    }

    private static let capacity = "/sys/class/power_supply/BAT0/capacity = "
    private static let heat = "/sys/class/thermal/thermal_zone1/temp = "
    private static let criticalPoint = [
        "/sys/class/thermal/thermal_zone1/trip_point_0_type = critical",
        "/sys/class/thermal/thermal_zone1/trip_point_0_temp = 100000",
    ]

    static let losses: [Loss] = [
        Loss(
            reason: "power-lost", requires: "{power: external}", waits: "waits for power: external",
            lose: { try $0.files("/sys/class/power_supply/AC/online = 0") },
            gain: { try $0.files("/sys/class/power_supply/AC/online = 1") }),
        Loss(
            reason: "network-lost", requires: "{network: any}", waits: "waits for network: any",
            services: ["networkmanager"], lose: { try $0.network("Connectivity", 1) },
            gain: { try $0.network("Connectivity", 4) }),
        Loss(
            reason: "became-metered", requires: "{network: unmetered}",
            waits: "waits for network: unmetered", services: ["networkmanager"],
            prepare: { try $0.addMetered() }, lose: { try $0.network("Metered", 1) },
            gain: { try $0.network("Metered", 2) }),
        Loss(
            reason: "user-active", requires: "{idle: true}",
            waits: "waits for the device to be idle; `bgrun device` says why it is not",
            services: ["logind"], prepare: { try $0.addSession() },
            lose: { try $0.session(isIdle: false) }, gain: { try $0.session(isIdle: true) }),
        Loss(
            reason: "low-battery", requires: "{battery: not-low}",
            waits: "waits for battery: not-low", lose: { try $0.files(capacity + "19") },
            gain: { try $0.files(capacity + "23") }),
        Loss(
            reason: "low-battery", kind: "app-refresh",
            waits: "waits for the battery: it is critically low",
            lose: { try $0.files(capacity + "19", "/sys/class/power_supply/AC/online = 0") },
            gain: { try $0.files("/sys/class/power_supply/AC/online = 1") }),
        Loss(
            reason: "low-power-mode", kind: "app-refresh",
            waits: "waits for low power mode to end", services: ["power_profiles_daemon"],
            lose: { try $0.profile("power-saver") }, gain: { try $0.profile("balanced") }),
        Loss(
            reason: "thermal", waits: "waits for the device to cool down",
            prepare: { machine in for line in criticalPoint { try machine.files(line) } },
            lose: { try $0.files(heat + "99000") }, gain: { try $0.files(heat + "60000") }),
        Loss(
            reason: "pressure",
            waits: "waits for processor, memory and disk to be less contended",
            lose: { try $0.files("/proc/pressure/memory = some avg10=12.00 avg60=0.00") },
            gain: { try $0.files("/proc/pressure/memory = some avg10=1.00 avg60=0.00") }),
        Loss(
            reason: "pressure", requires: "{gpu: true}", waits: "waits for gpu: true",
            lose: { machine in
                try machine.tree.remove("/dev/dri/renderD128")
                try machine.tree.announce()
            }, gain: { try $0.files("/dev/dri/renderD128 =") }),
        Loss(
            reason: "suspend", waits: "the device is about to sleep", services: ["logind"],
            lose: { try $0.prepareForSleep(true) }, gain: { try $0.prepareForSleep(false) }),
    ]

    private static let noWindows = """
        policy:
          profile: server
          pressure_wait: 10m
          power_gained_after: 0s
          power_lost_after: 0s
          network_gained_after: 0s
          network_lost_after: 0s
        """

    @Test(
        "an attempt is expired with the reason, keeps its checkpoint, and resumes later",
        arguments: losses)
    func loss(_ loss: Loss) async throws {
        let probe = try await Built.probe.value
        let machine = try Machine(loss.services)
        try loss.prepare(machine)
        try await Sandbox.with(machine: (machine.tree.root, machine.bus.address)) { box in
            try box.write(
                plugins: ["probe": probe], device: "{}", rest: Self.noWindows,
                tasks: """
                    org.test.work:
                      kind: \(loss.kind)
                      handler: probe.checkpoint
                      submit: launch
                      \(loss.requires.map { "requires: " + $0 } ?? "")
                    """)
            let host = try await box.host(until: "no checkpoint")
            try loss.lose(machine)
            try await host.line("Expiring task with identifier org.test.work: \(loss.reason)")
            try await host.line("Scheduling task with identifier org.test.work again")
            let waiting = try await box.pending().pending
            #expect(waiting.map(\.reason) == [loss.waits])
            #expect(waiting.map(\.failures) == [0])
            try loss.gain(machine)
            try await host.line("checkpoint 7: half")
            // 1: an attempt has expired.
            #expect(await host.end().code == 1)
            let history = try await box.history()
            #expect(history.map(\.outcome) == ["expired", "completed"])
            #expect(history.first?.detail.hasPrefix("expired (\(loss.reason))") == true)
            #expect(history.map(\.failuresBefore) == [0, 0])
        }
    }

    @Test("sleep is delayed until attempts have ended, and again after the machine has resumed")
    func sleepDelayed() async throws {
        let probe = try await Built.probe.value
        let machine = try Machine(["logind"])
        try await Sandbox.with(machine: (machine.tree.root, machine.bus.address)) { box in
            try box.write(
                plugins: ["probe": probe], device: "{}", rest: Self.noWindows,
                tasks: """
                    org.test.wait: {kind: processing, handler: probe.wait}
                    org.test.late: {kind: processing, handler: probe.who, submit: manual}
                    """)
            let host = try await box.host("--stay", until: "[org.test.wait] waiting in")
            #expect(machine.isSleepDelayed)
            try machine.prepareForSleep(true)
            try await host.line("[org.test.wait] told 15 (suspend)")
            #expect(await eventually { !machine.isSleepDelayed })
            let triggered = try await box.run("trigger", "org.test.late")
            #expect(triggered.code == 77)
            #expect(triggered.error.contains("the device is about to sleep"))
            #expect(try await box.run("submit", "org.test.late").code == 0)
            #expect(try await box.run("explain", "org.test.late").output.contains("about to sleep"))
            try machine.prepareForSleep(false)
            try await host.line("[org.test.late] pid")
            #expect(await eventually { machine.isSleepDelayed })
            await host.stop()
            #expect(await eventually { !machine.isSleepDelayed })
        }
    }

    @Test(
        "a request that the device does not permit at the start waits until it does",
        // The first reading of contention counts as the normal state of the machine.
        arguments: losses.filter { !$0.waits.contains("contended") })
    func notBegun(_ loss: Loss) async throws {
        let probe = try await Built.probe.value
        let machine = try Machine(loss.services)
        try loss.prepare(machine)
        try loss.lose(machine)
        try await Sandbox.with(machine: (machine.tree.root, machine.bus.address)) { box in
            try box.write(
                plugins: ["probe": probe], device: "{}", rest: Self.noWindows,
                tasks: """
                    org.test.who:
                      kind: \(loss.kind)
                      handler: probe.who
                      submit: launch
                      \(loss.requires.map { "requires: " + $0 } ?? "")
                    """)
            let host = try await box.host(until: "Scheduling task with identifier org.test.who")
            #expect(try await box.pending().pending.map(\.reason) == [loss.waits])
            try loss.gain(machine)
            #expect(await host.end().code == 0)
            #expect(try await box.history().map(\.outcome) == ["completed"])
        }
    }
}
