// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import BGRunInspection

@Suite("The trust in a plugin file", .timeLimit(.minutes(10)))
struct FileTrustTests {
    let directory: FixtureDirectory

    init() throws {
        directory = try FixtureDirectory()
    }

    private func refusal(_ path: String) -> PluginFileRefusal? {
        do {
            _ = try PluginFile.open(path: path, sha256: nil)
            return nil
        } catch {
            return error
        }
    }

    private func failure(_ check: () throws(FailedCheck) -> Void) -> FailedCheck? {
        do {
            try check()
            return nil
        } catch {
            return error
        }
    }

    private func write(_ name: String, mode: mode_t = 0o644) throws -> String {
        try directory.write(name, try Compiled.plugin.get(), mode: mode)
    }

    @Test(
        "the owner is root or this user",
        arguments: [(uid_t(0), true), (1000, true), (1001, false), (65534, false)])
    func owner(owner: uid_t, trusted: Bool) {
        let trust = FileTrust(user: 1000)
        let file = failure { () throws(FailedCheck) in
            try trust.checkFile(owner: owner, mode: 0o644)
        }
        let above = failure { () throws(FailedCheck) in
            try trust.checkDirectory("/d", owner: owner, mode: 0o755)
        }
        #expect(file?.check == (trusted ? nil : .owner))
        #expect(above?.check == (trusted ? nil : .directories))
    }

    @Test("a file of another user is refused", .enabled(if: geteuid() == 0))
    func chowned() throws {
        let path = try write("libx.so")
        try #require(chown(path, 12345, 12345) == 0)
        #expect(refusal(path)?.check == .owner)
        #expect(refusal(path)?.found == "user 12345")
    }

    @Test(
        "a file is writable by its owner only",
        arguments: [
            (mode_t(0o644), true), (0o755, true), (0o600, true), (0o444, true), (0o664, false),
            (0o646, false), (0o777, false), (0o1666, false),
        ])
    func mode(mode: mode_t, trusted: Bool) throws {
        #expect(refusal(try write("libx.so", mode: mode))?.check == (trusted ? nil : .mode))
    }

    @Test(
        "a directory above is writable by its owner only, or sticky",
        arguments: [
            (mode_t(0o755), true), (0o700, true), (0o1777, true), (0o1775, true), (0o775, false),
            (0o757, false), (0o777, false),
        ])
    func directories(mode: mode_t, trusted: Bool) throws {
        let outer = try directory.makeDirectory("outer", mode: 0o755)
        _ = try directory.makeDirectory("outer/inner", mode: 0o755)
        let path = try write("outer/inner/libx.so")
        try directory.setMode(outer, mode)
        let refused = refusal(path)
        #expect(refused?.check == (trusted ? nil : .directories))
        #expect(refused.map { $0.expected.contains(outer) } ?? true)
    }

    @Test("the directories that count are those to which symbolic links lead")
    func symbolicLinks() throws {
        let loose = try directory.makeDirectory("loose", mode: 0o777)
        let tight = try directory.makeDirectory("tight", mode: 0o755)
        let good = try write("tight/libx.so")
        let bad = try write("loose/libx.so")
        try #require(symlink(good, loose + "/good.so") == 0)
        try #require(symlink(bad, tight + "/bad.so") == 0)
        #expect(refusal(loose + "/good.so") == nil)
        #expect(refusal(tight + "/bad.so")?.check == .directories)
    }

    @Test("a missing file is refused, whatever part of its path is missing")
    func missing() throws {
        let file = try write("libx.so")
        try #require(symlink(directory.path + "/nowhere", directory.path + "/dangling") == 0)
        try #require(symlink(directory.path + "/circle", directory.path + "/circle") == 0)
        for path in [
            directory.path + "/none.so", directory.path + "/dangling", directory.path + "/circle",
            file + "/libx.so", file + "\0.so", "",
        ] {
            #expect(refusal(path)?.check == .exists, "\(path)")
        }
    }

    @Test("a FIFO, a directory, a socket and a device are refused and never waited for")
    func irregular() throws {
        let fifo = directory.path + "/fifo"
        try #require(mkfifo(fifo, 0o600) == 0)
        #expect(refusal(fifo)?.found == "a FIFO")
        #expect(refusal(directory.path)?.found == "a directory")
        #expect(refusal("/dev/null")?.found == "a device")
        #expect(refusal("/dev/null")?.check == .regularFile)
    }

    @Test("a file this user cannot read is refused", .enabled(if: geteuid() != 0))
    func unreadable() throws {
        #expect(refusal(try write("libx.so", mode: 0o200))?.check == .readable)
    }

    @Test("no descriptor is left behind by a refusal")
    func leaks() throws {
        let path = try write("libx.so", mode: 0o666)
        var named = stat()
        try #require(stat(path, &named) == 0)
        for _ in 0..<64 { #expect(refusal(path)?.check == .mode) }
        // Other tests open files at the same time, but not this one.
        let held = (Int32(0)..<1024).filter { descriptor in
            var status = stat()
            return fstat(descriptor, &status) == 0 && status.st_ino == named.st_ino
                && status.st_dev == named.st_dev
        }
        #expect(held.isEmpty)
        let probe = open(path, O_RDONLY)
        defer { close(probe) }
        var status = stat()
        #expect(fstat(probe, &status) == 0 && status.st_ino == named.st_ino)
    }
}
