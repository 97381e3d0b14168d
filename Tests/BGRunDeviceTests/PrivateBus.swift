// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// A message bus of the test's own, with python-dbusmock's services on it.
final class PrivateBus {
    let address: String
    private var daemon: Process
    private var mocks: [String: Process] = [:]

    /// Returns once the bus takes connections.
    init() throws {
        (daemon, address) = try Self.run(address: "unix:tmpdir=/tmp")
    }

    /// Starts the bus again at its address, without any service.
    func restart() throws {
        (daemon, _) = try Self.run(address: address)
    }

    private static func run(address: String) throws -> (Process, String) {
        let output = Pipe()
        let daemon = Process()
        daemon.executableURL = URL(filePath: "/usr/bin/dbus-daemon")
        daemon.arguments = [
            "--session", "--nofork", "--nopidfile", "--address=\(address)", "--print-address=1",
        ]
        daemon.standardOutput = output
        daemon.standardError = FileHandle.nullDevice
        try daemon.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        // Behind the comma stands the identity of this one daemon.
        return (daemon, String(line.prefix { $0 != "," && $0 != "\n" }))
    }

    deinit {
        for mock in mocks.values { mock.end() }
        daemon.end()
        // Killed, it leaves its socket: unix:path=/tmp/dbus-...
        try? FileManager.default.removeItem(
            atPath: String(address.drop { $0 != "/" }.prefix { $0 != "," }))
    }

    /// Starts a service from a template of dbusmock; it is on the bus some time later.
    func start(_ template: String) throws {
        let mock = process("/usr/bin/python3", ["-m", "dbusmock", "--template", template])
        mock.standardOutput = FileHandle.nullDevice
        mock.standardError = FileHandle.nullDevice
        try mock.run()
        mocks[template] = mock
    }

    /// Ends a service as a crash would.
    func stop(_ template: String) {
        mocks.removeValue(forKey: template)?.end()
    }

    /// Ends the bus itself.
    func stop() {
        daemon.end()
    }

    /// Sets a property, which the service announces.
    func set(
        _ property: String, of service: String, _ path: String, _ interface: String,
        to value: String
    ) throws {
        try send(
            service, path, "org.freedesktop.DBus.Properties.Set",
            ["string:\(interface)", "string:\(property)", "variant:\(value)"])
    }

    /// Calls a method by dbus-send, whose notation the arguments are in, and waits for its answer.
    func send(
        _ service: String, _ path: String, _ method: String, _ arguments: [String]
    ) throws {
        let call = process(
            "/usr/bin/dbus-send",
            ["--bus=\(address)", "--print-reply", "--dest=\(service)", path, method] + arguments)
        call.standardOutput = FileHandle.nullDevice
        call.standardError = FileHandle.nullDevice
        try call.run()
        call.waitUntilExit()
        guard call.terminationStatus == 0 else { throw CocoaError(.featureUnsupported) }
    }

    private func process(_ path: String, _ arguments: [String]) -> Process {
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.environment = [
            "DBUS_SESSION_BUS_ADDRESS": address, "DBUS_SYSTEM_BUS_ADDRESS": address,
            "PATH": "/usr/bin:/bin",
        ]
        return process
    }
}

extension Process {
    /// SIGTERM is blocked in what a thread of Dispatch starts.
    fileprivate func end() {
        guard isRunning else { return }
        kill(processIdentifier, SIGKILL)
        waitUntilExit()
    }
}
