// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import BGRunStorage

@Suite("The state directory", .timeLimit(.minutes(10)))
struct StateDirectoryTests {
    @Test(
        "is chosen from --state, XDG_STATE_HOME, HOME, and root's, in this order",
        arguments: [
            (Optional("/s"), ["XDG_STATE_HOME": "/x", "HOME": "/h"], UInt32(1), "/s/app"),
            ("s/", [:], 1, "s/app"),
            ("/", [:], 1, "/app"),
            (nil, ["XDG_STATE_HOME": "/x", "HOME": "/h"], 0, "/x/bgrun/app"),
            (nil, ["XDG_STATE_HOME": "x", "HOME": "/h"], 1, "/h/.local/state/bgrun/app"),
            (nil, ["XDG_STATE_HOME": "", "HOME": "/h"], 0, "/h/.local/state/bgrun/app"),
            (nil, [:], 0, "/var/lib/bgrun/app"),
            (nil, ["HOME": ""], 0, "/var/lib/bgrun/app"),
        ])
    func choice(
        override: String?, environment: [String: String], userID: UInt32, expected: String
    ) throws {
        let directory = try StateDirectory(
            app: "app", override: override, environment: environment, userID: userID)
        #expect(directory.path == expected)
        #expect(directory.database == expected + "/bgrun.sqlite")
        #expect(directory.hostLock == expected + "/host.lock")
        #expect(directory.controlSocket == expected + "/control.sock")
    }

    @Test("gives advice to a user without a home")
    func noHome() {
        let error = #expect(throws: StateDirectoryError.noHome) {
            try StateDirectory(app: "app", environment: [:], userID: 1)
        }
        #expect(error?.message.contains("--state") == true)
    }

    @Test(
        "contains the directory of any name of an app",
        arguments: [
            "", ".", "..", "a/b", "../x", "a\0b", "a\nb", String(repeating: "x", count: 256),
        ])
    func app(name: String) {
        #expect(throws: StateDirectoryError.invalidApp(name)) {
            try StateDirectory(app: name, override: "/s", environment: [:], userID: 1)
        }
    }

    @Test("is refused if its path is too long for a socket, with the excess")
    func length() throws {
        let socket = "/app/control.sock".utf8.count
        let longest = "/" + String(repeating: "x", count: 106 - socket)
        let directory = try StateDirectory(
            app: "app", override: longest, environment: [:], userID: 1)
        #expect(directory.controlSocket.utf8.count == 107)
        #expect(throws: StateDirectoryError.tooLong(path: longest + "yy/app", excess: 2)) {
            try StateDirectory(app: "app", override: longest + "yy", environment: [:], userID: 1)
        }
    }

    private func directory(_ base: String) throws -> StateDirectory {
        try StateDirectory(app: "app", override: base, environment: [:], userID: 1)
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test("is created once with its missing parents, for its owner only")
    func create() throws {
        let scratch = try Scratch()
        let directory = try directory(scratch.path + "/a/b/")
        try directory.create()
        for path in [scratch.path + "/a", scratch.path + "/a/b", directory.path] {
            #expect(try mode(path) == 0o700)
        }
        try directory.create()
    }

    @Test("is refused with the remedy if others can change it")
    func writable() throws {
        let scratch = try Scratch()
        let directory = try directory(scratch.path)
        try directory.create()
        chmod(directory.path, 0o770)
        let error = #expect(throws: StateDirectoryError.self) { try directory.create() }
        #expect(error == .writableByOthers(path: directory.path, mode: 0o770))
        #expect(error?.message.hasSuffix("chmod 700 \(directory.path)") == true)
    }

    @Test("is refused if it belongs to another user")
    func owner() throws {
        let scratch = try Scratch()
        let directory = try directory(scratch.path)
        let theirs = geteuid() == 0 ? scratch.path + "/theirs" : "/"
        if geteuid() == 0 {
            mkdir(theirs, 0o700)
            chown(theirs, 12_345, 12_345)
        }
        symlink(theirs, directory.path)
        let error = #expect(throws: StateDirectoryError.self) { try directory.create() }
        guard case .wrongOwner(directory.path, _, geteuid()) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("reports a file in its place")
    func file() throws {
        let scratch = try Scratch()
        let directory = try directory(scratch.path)
        try Data().write(to: URL(fileURLWithPath: directory.path))
        #expect(throws: StateDirectoryError.inaccessible(path: directory.path, errno: ENOTDIR)) {
            try directory.create()
        }
        #expect(throws: StateDirectoryError.inaccessible(path: "/dev/null/app", errno: ENOTDIR)) {
            try self.directory("/dev/null").create()
        }
    }

    @Test("is named in the message about its creation, not its parent")
    func message() throws {
        let directory = try directory("/proc/missing")
        let error = #expect(throws: StateDirectoryError.self) { try directory.create() }
        #expect(
            error?.message
                == "the state directory /proc/missing/app cannot be created: No such file or directory; "
                + "correct it, or give another --state")
        let denied = StateDirectoryError.inaccessible(path: "/above/app", errno: EACCES)
        #expect(
            denied.message
                == "the state directory /above/app cannot be created: Permission denied; make it writable, "
                + "or give another --state")
    }
}
