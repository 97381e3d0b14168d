// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import UserNotifications

@Suite("Notifications on the desktop", .timeLimit(.minutes(1)))
struct DesktopTests {
    /// A directory for the socket of a session bus and for the arguments of notify-send, a script of the
    /// repository. A script that the test writes could not be executed while a child of another test has
    /// it open.
    private struct Session {
        let directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("desktop-\(UUID().uuidString)")
        var bus: String { directory.path + "/bus" }
        private var output: String { directory.path + "/shown" }

        init() throws {
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: true)
        }

        func makeBus() throws {
            try Data().write(to: URL(fileURLWithPath: bus))
        }

        func show(_ variables: [String: String] = [:], limit: DispatchTimeInterval = .seconds(50)) {
            let programs = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .deletingLastPathComponent().appendingPathComponent("Programs").path
            let own = ["PATH": "\(programs):/usr/bin:/bin", "SHOWN": output]
            Desktop(environment: own.merging(variables) { $1 }, bus: bus, limit: limit)
                .show(app: "com.example.app", title: "-Done", body: "3\nitems", urgency: "low")
        }

        /// The output of the script.
        var shown: String? { try? String(contentsOfFile: output, encoding: .utf8) }

        func remove() { try? FileManager.default.removeItem(at: directory) }
    }

    private static let arguments = "--app-name=com.example.app|--urgency=low|--|-Done|3\nitems|"

    @Test("notify-send has the title, the body, the urgency and the app's name")
    func arguments() throws {
        let session = try Session()
        defer { session.remove() }
        session.show(["DBUS_SESSION_BUS_ADDRESS": "unix:path=/given"])
        #expect(session.shown == "unix:path=/given|" + Self.arguments)
    }

    @Test("Without a session bus in the environment, notify-send uses that of the user, if any")
    func bus() throws {
        let session = try Session()
        defer { session.remove() }
        session.show()
        #expect(session.shown == nil)
        try session.makeBus()
        session.show()
        #expect(session.shown == "unix:path=\(session.bus)|" + Self.arguments)
    }

    @Test("A notify-send that does not end within the limit is killed")
    func limit() throws {
        let session = try Session()
        defer { session.remove() }
        session.show(
            ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/given", "SLEEPS": "20"],
            limit: .milliseconds(1))
        #expect(session.shown == nil)
    }
}
