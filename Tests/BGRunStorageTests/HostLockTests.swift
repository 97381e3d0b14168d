// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Foundation
import Testing

@testable import BGRunStorage

@Suite("The lock of a host", .timeLimit(.minutes(10)))
struct HostLockTests {
    let scratch: Scratch
    let path: String
    let me = HostLock.Holder(
        pid: 17, started: WallTime(milliseconds: 12), manifest: "/a b/app.yaml\nx", version: "0.1")

    init() throws {
        scratch = try Scratch()
        path = scratch.path + "/host.lock"
    }

    @Test("has no holder if it is new or was released")
    func free() throws {
        #expect(try HostLock.holder(of: path) == nil)
        do { _ = try HostLock.acquire(path, as: me) }
        #expect(try HostLock.holder(of: path) == nil)
        _ = try HostLock.acquire(path, as: me)
    }

    @Test("gives a second process the ID of its holder, and stays with the holder")
    func held() throws {
        let lock = try HostLock.acquire(path, as: me)
        for _ in 1...3 {
            #expect(throws: HostLockError.held(by: me)) { try acquire() }
            #expect(try HostLock.holder(of: path) == me)
        }
        _ = consume lock
        try acquire()
    }

    private func acquire() throws { _ = try HostLock.acquire(path, as: me) }

    @Test(
        "shows a waiting process that the directory is unlocked after the file was closed",
        .timeLimit(.minutes(5)))
    func directoryLast() async throws {
        let directory = open(scratch.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        try #require(flock(directory, LOCK_EX) == 0)
        let (path, me) = (path, me)
        async let waiting: Void = onThread {
            _ = try HostLock.acquire(path, as: me, within: .seconds(600), ofDirectory: true)
        }
        // From then on it has the file's lock.
        while try HostLock.holder(of: path) == nil, !Task.isCancelled { await Task.yield() }
        close(directory)
        try await waiting
    }

    @Test("is held through its directory if its file is removed or replaced")
    func removed() throws {
        let lock = try HostLock.acquire(path, as: me, ofDirectory: true)
        try FileManager.default.removeItem(atPath: path)
        #expect(throws: HostLockError.removed(path: path)) {
            _ = try HostLock.acquire(path, as: me, ofDirectory: true)
        }
        // Another lock in the directory is not affected.
        _ = try HostLock.acquire(scratch.path + "/other.lock", as: me)
        _ = consume lock
        _ = try HostLock.acquire(path, as: me, ofDirectory: true)
    }

    @Test("goes to a waiting process as soon as its holder is killed")
    func timeout() async throws {
        let probe = try Probe("hold-lock", path)
        _ = try #require(probe.readLine())
        let (path, me) = (path, me)
        async let waiter = onThread {
            do { _ = try HostLock.acquire(path, as: me, within: .days(1)) }
            return try HostLock.lastHolder(of: path)
        }
        probe.kill()
        #expect(try await waiter == me)
    }

    @Test("gives the ID of its holder to a process that has waited too long")
    func withoutTimeout() throws {
        let lock = try HostLock.acquire(path, as: me)
        #expect(throws: HostLockError.held(by: me)) {
            _ = try HostLock.acquire(path, as: me, within: .milliseconds(1))
        }
        _ = consume lock
    }

    /// Whether this process watches the file.
    private func isWatched() throws -> Bool {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        let number = try #require(attributes[.systemFileNumber] as? UInt64)
        let watch = "ino:\(String(number, radix: 16)) "
        let folder = "/proc/self/fdinfo"
        return try FileManager.default.contentsOfDirectory(atPath: folder).contains {
            // A descriptor may be closed meanwhile.
            let text = try? String(contentsOfFile: folder + "/" + $0, encoding: .utf8)
            return text?.contains(watch) == true
        }
    }

    @Test(
        "another process can wait for it without taking it, and learns of a holder that stays",
        .timeLimit(.minutes(5)))
    func release() async throws {
        let path = path
        #expect(try HostLock.holder(of: path, after: .days(1)) == nil)
        let probe = try Probe("hold-lock", path)
        _ = try #require(probe.readLine())
        let pid = probe.process.processIdentifier
        #expect(try HostLock.holder(of: path, after: .milliseconds(1))?.pid == pid)
        async let waiter = onThread { try HostLock.holder(of: path, after: .days(1)) }
        while try !isWatched(), !Task.isCancelled { await Task.yield() }
        probe.kill()
        #expect(try await waiter == nil)
        #expect(try HostLock.lastHolder(of: path)?.pid == pid)
    }

    @Test("is held although its holder has not written its ID yet")
    func unnamed() throws {
        let lock = try HostLock.acquire(path, as: me)
        for text in ["", "17\n", "17\n12\n0.1\n/app", "what\never\nthis\nis\n"] {
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
            try file.truncate(atOffset: 0)
            try file.write(contentsOf: Data(text.utf8))
            #expect(try HostLock.holder(of: path)?.pid == 0)
        }
        _ = consume lock
    }

    @Test("is free at once when its holder is killed, even if children of the holder live")
    func killed() throws {
        let probe = try Probe("hold-lock", path)
        let child = try #require(probe.readLine().flatMap(Int32.init))
        let holder = HostLock.Holder(
            pid: probe.process.processIdentifier, started: WallTime(milliseconds: 1_000),
            manifest: "/app.yaml", version: "1.2.3")
        #expect(try HostLock.holder(of: path) == holder)
        let error = #expect(throws: HostLockError.self) { try acquire() }
        #expect(error == .held(by: holder))
        #expect(error?.message.contains("kill \(holder.pid)") == true)
        probe.kill()
        #expect(kill(child, 0) == 0)
        #expect(try HostLock.holder(of: path) == nil)
        try acquire()
        kill(child, SIGKILL)
    }

    @Test("has no remains of a longer name after the name of the next holder")
    func shorter() throws {
        var other = me
        other.manifest = "/" + String(repeating: "long/", count: 50) + "app.yaml"
        do { _ = try HostLock.acquire(path, as: other) }
        let lock = try HostLock.acquire(path, as: me)
        #expect(try HostLock.holder(of: path) == me)
        _ = consume lock
    }

    @Test("is free when it is released, although a starting child still has its descriptor")
    func inherited() throws {
        let lock = try HostLock.acquire(path, as: me)
        let names = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        let descriptor = names.compactMap(Int32.init).first { descriptor in
            let target = try? FileManager.default.destinationOfSymbolicLink(
                atPath: "/proc/self/fd/\(descriptor)")
            return target == path
        }
        let copy = fcntl(try #require(descriptor), F_DUPFD_CLOEXEC, 0)
        defer { close(copy) }
        #expect(try HostLock.holder(of: path) == me)
        _ = consume lock
        #expect(try HostLock.holder(of: path) == nil)
    }

    @Test("reports a path that cannot be opened")
    func inaccessible() {
        #expect(throws: HostLockError.inaccessible(path: "/dev/null/lock", errno: ENOTDIR)) {
            _ = try HostLock.acquire("/dev/null/lock", as: me)
        }
        #expect(
            HostLockError.inaccessible(path: "/above/host.lock", errno: EACCES).message
                == "the lock file /above/host.lock cannot be used: Permission denied; make it writable, "
                + "or give another --state")
    }
}

/// The result of `work`, which blocks: in a new thread, because all tests share as many threads as there are
/// processors.
private func onThread<Value: Sendable>(
    _ work: @escaping @Sendable () throws -> Value
) async throws -> Value {
    try await withCheckedThrowingContinuation { waiter in
        Thread.detachNewThread { waiter.resume(with: Result(catching: work)) }
    }
}
