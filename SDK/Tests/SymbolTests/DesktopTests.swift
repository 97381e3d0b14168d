// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import UserNotifications

/// One after the other: a script cannot be executed while it is open for writing, as it is in a
/// process that another test starts at the same time.
@Suite("Notifications on the desktop", .serialized, .timeLimit(.minutes(1)))
struct DesktopTests {
    /// A directory with a notify-send, which is a script, and the socket of a session bus.
    private struct Session {
        let directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("desktop-\(UUID().uuidString)")
        var bus: String { directory.path + "/bus" }

        init(_ script: String) throws {
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: true)
            let program = directory.appendingPathComponent("notify-send")
            try "#!/bin/sh\ncd '\(directory.path)' || exit\n\(script)\n"
                .write(to: program, atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o700], ofItemAtPath: program.path)
        }

        func makeBus() throws {
            try Data().write(to: URL(fileURLWithPath: bus))
        }

        func show(_ variables: [String: String] = [:], limit: DispatchTimeInterval = .seconds(50)) {
            let own = ["PATH": "\(directory.path):/usr/bin:/bin"]
            Desktop(environment: own.merging(variables) { $1 }, bus: bus, limit: limit)
                .show(app: "com.example.app", title: "-Done", body: "3\nitems", urgency: "low")
        }

        /// What the script has written.
        var shown: String? {
            try? String(contentsOf: directory.appendingPathComponent("shown"), encoding: .utf8)
        }

        func remove() { try? FileManager.default.removeItem(at: directory) }
    }

    private static let script = #"printf '%s|' "$DBUS_SESSION_BUS_ADDRESS" "$@" > shown"#
    private static let arguments = "--app-name=com.example.app|--urgency=low|--|-Done|3\nitems|"

    @Test("notify-send has the title, the body, the urgency and the app's name")
    func arguments() throws {
        let session = try Session(Self.script)
        defer { session.remove() }
        session.show(["DBUS_SESSION_BUS_ADDRESS": "unix:path=/given"])
        #expect(session.shown == "unix:path=/given|" + Self.arguments)
    }

    @Test("Where the environment names no session bus, notify-send has that of the user, if any")
    func bus() throws {
        let session = try Session(Self.script)
        defer { session.remove() }
        session.show()
        #expect(session.shown == nil)
        try session.makeBus()
        session.show()
        #expect(session.shown == "unix:path=\(session.bus)|" + Self.arguments)
    }

    @Test("A notify-send that does not end within the limit is killed")
    func limit() throws {
        let session = try Session("sleep 20\ntouch shown")
        defer { session.remove() }
        session.show(
            ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/given"], limit: .milliseconds(1))
        #expect(session.shown == nil)
    }
}
