// SPDX-License-Identifier: Apache-2.0

import CSystemd
import Foundation
import Glibc

/// A private message bus with services of python-dbusmock.
package final class PrivateBus {
    package let address: String
    private var daemon: Process
    private var mocks: [String: Process] = [:]

    /// Returns when the bus accepts connections.
    package init() throws {
        (daemon, address) = try Self.run(address: "unix:tmpdir=/tmp")
    }

    /// Restarts the bus at its address, without services.
    package func restart() throws {
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
        // The part after the comma identifies this daemon.
        return (daemon, String(line.prefix { $0 != "," && $0 != "\n" }))
    }

    deinit {
        for mock in mocks.values { mock.end() }
        daemon.end()
        // A killed daemon leaves its socket: unix:path=/tmp/dbus-...
        try? FileManager.default.removeItem(
            atPath: String(address.drop { $0 != "/" }.prefix { $0 != "," }))
    }

    /// Starts a bus at `address`.
    package init(at address: String) throws {
        (daemon, self.address) = try Self.run(address: address)
    }

    /// Starts a service from a template of dbusmock, and returns when it is on the bus.
    package func start(_ template: String) throws {
        let mock = process("/usr/bin/python3", ["-m", "dbusmock", "--template", template])
        mock.standardOutput = FileHandle.nullDevice
        mock.standardError = FileHandle.nullDevice
        try mock.run()
        mocks[template] = mock
        try awaitOwner(of: Self.names[template] ?? template)
    }

    private static let names = [
        "logind": "org.freedesktop.login1", "networkmanager": "org.freedesktop.NetworkManager",
        "power_profiles_daemon": "net.hadess.PowerProfiles",
    ]

    /// Waits until the name has an owner on the bus.
    private func awaitOwner(of name: String) throws {
        var bus: OpaquePointer?
        defer { sd_bus_close_unref(bus) }
        guard sd_bus_new(&bus) >= 0, sd_bus_set_address(bus, address) >= 0,
            sd_bus_set_bus_client(bus, 1) >= 0, sd_bus_start(bus) >= 0,
            sd_bus_add_match(
                bus, nil, "type='signal',member='NameOwnerChanged',arg0='\(name)'",
                { _, _, _ in 0 }, nil) >= 0
        else { throw CocoaError(.featureUnsupported) }
        while sd_bus_get_name_creds(bus, name, 0, nil) < 0 {
            let result = sd_bus_process(bus, nil)
            guard result >= 0 else { throw CocoaError(.featureUnsupported) }
            // In microseconds; a service that does not come fails the test.
            if result == 0, sd_bus_wait(bus, 20_000_000) <= 0 {
                throw CocoaError(.featureUnsupported)
            }
        }
    }

    /// Ends a service as a crash would.
    package func stop(_ template: String) {
        mocks.removeValue(forKey: template)?.end()
    }

    /// Ends the bus itself.
    package func stop() {
        daemon.end()
    }

    /// Sets a property; the service announces the change.
    package func set(
        _ property: String, of service: String, _ path: String, _ interface: String,
        to value: String
    ) throws {
        try send(
            service, path, "org.freedesktop.DBus.Properties.Set",
            ["string:\(interface)", "string:\(property)", "variant:\(value)"])
    }

    /// Calls a method with dbus-send, in its notation of arguments, and returns the answer.
    @discardableResult
    package func send(
        _ service: String, _ path: String, _ method: String, _ arguments: [String] = []
    ) throws -> String {
        let call = process(
            "/usr/bin/dbus-send",
            ["--bus=\(address)", "--print-reply", "--dest=\(service)", path, method] + arguments)
        let answer = Pipe()
        call.standardOutput = answer
        call.standardError = FileHandle.nullDevice
        try call.run()
        let text = try answer.fileHandleForReading.readToEnd() ?? Data()
        call.waitUntilExit()
        guard call.terminationStatus == 0 else { throw CocoaError(.featureUnsupported) }
        return String(decoding: text, as: UTF8.self)
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
    /// Uses SIGKILL, because SIGTERM is blocked in children of Dispatch threads.
    fileprivate func end() {
        guard isRunning else { return }
        kill(processIdentifier, SIGKILL)
        waitUntilExit()
    }
}
