// SPDX-License-Identifier: Apache-2.0

import BGRunCore
import Foundation
import Testing

@testable import BGRunDevice

/// The built bgrun on a private bus: conditions that wait, and that revoke.
@Suite("A host on a real device", .timeLimit(.minutes(1)))
struct RunningHostTests {
    private static let manager = "org.freedesktop.NetworkManager"

    @Test("a task waits for a network, is expired when it becomes metered, and runs again after")
    func revoked() throws {
        let bus = try PrivateBus()
        try bus.start("networkmanager")
        let host = try Host(bus)
        _ = try WatchedDevice(try Tree(), bus: bus.address).report { $0.network.value == .yes }
        // The template lacks the property.
        try Self.addMetered(to: bus)
        try host.wait(for: "Scheduling task with identifier org.test.sync")
        try Self.setMetered(4, on: bus)
        try host.wait(for: "Starting task with identifier org.test.sync")
        try Self.setMetered(1, on: bus)
        try host.wait(for: "Expiring task with identifier org.test.sync: became-metered")
        try host.wait(for: "Scheduling task with identifier org.test.sync again")
        try Self.setMetered(2, on: bus)
        try host.wait(for: "Starting task with identifier org.test.sync")
    }

    private static func addMetered(to bus: PrivateBus) throws {
        try bus.send(
            manager, "/org/freedesktop/NetworkManager", "org.freedesktop.DBus.Mock.AddProperty",
            ["string:\(manager)", "string:Metered", "variant:uint32:1"])
    }

    private static func setMetered(_ value: Int, on bus: PrivateBus) throws {
        try bus.set(
            "Metered", of: manager, "/org/freedesktop/NetworkManager", manager,
            to: "uint32:\(value)")
    }

    /// `bgrun run` with one task that sleeps on an unmetered network only.
    private final class Host {
        private let tree: Tree
        private let process = Process()
        private let log = Pipe()
        private var text = ""

        init(_ bus: PrivateBus) throws {
            tree = try Tree()
            let manifest = tree.root + "/app.yaml"
            try """
            bgrun: 1
            app: org.test.app
            modes: [processing]
            permitted_identifiers: [org.test.sync]
            tasks:
              org.test.sync:
                kind: processing
                submit: launch
                requires: {network: unmetered}
                expiration: {grace: 0s}
                call: {library: libc.so.6, function: sleep, args: [{u32: 50}], returns: u32}
            policy: {network_gained_after: 0s}
            """.write(toFile: manifest, atomically: true, encoding: .utf8)
            process.executableURL = URL(filePath: "/proc/self/exe")
                .resolvingSymlinksInPath().deletingLastPathComponent().appending(path: "bgrun")
            process.arguments = ["run", "--manifest", manifest, "--state", tree.root + "/state"]
            process.environment = [
                "DBUS_SYSTEM_BUS_ADDRESS": bus.address, "PATH": "/usr/bin:/bin",
                "HOME": tree.root,
            ]
            process.standardError = log
            try process.run()
            // Whoever waits for a line reads to the end of the log at the latest.
            try log.fileHandleForWriting.close()
        }

        deinit {
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }

        /// Reads the log up to and with `phrase`.
        func wait(for phrase: String) throws {
            while true {
                if let range = text.range(of: phrase) {
                    text.removeSubrange(..<range.upperBound)
                    return
                }
                let data = log.fileHandleForReading.availableData
                try #require(!data.isEmpty, "the log ended without \"\(phrase)\": \(text)")
                text += String(decoding: data, as: UTF8.self)
            }
        }
    }
}
