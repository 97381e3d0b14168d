// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

@testable import BGRunSystem

@Suite("Killing the processes of an attempt", .timeLimit(.minutes(5)))
struct KillTests {
    /// A shell with `count` child processes, each in its own session.
    private final class Family {
        let pid: pid_t
        /// Its status from waitpid(2).
        private var status: Int32?

        /// Does not use Foundation's Process, which waits until inherited descriptors are closed: a process that
        /// another test starts at the same moment inherits them, too.
        init(_ count: Int) throws {
            let script =
                "for i in $(seq \(count)); do setsid sh -c 'echo x; exec sleep 10000' & done; wait"
            var ends: [Int32] = [-1, -1]
            try #require(pipe(&ends) == 0)
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            defer { close(ends[0]) }
            var actions = posix_spawn_file_actions_t()
            posix_spawn_file_actions_init(&actions)
            defer { posix_spawn_file_actions_destroy(&actions) }
            posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
            let words: [String] = ["sh", "-c", script]
            var arguments = words.map { word in strdup(word) }
            arguments.append(nil)
            defer { for argument in arguments { free(argument) } }
            // The shell's `wait` would never end with SIGCHLD blocked, as it is in threads of the tests.
            var attributes = posix_spawnattr_t()
            posix_spawnattr_init(&attributes)
            defer { posix_spawnattr_destroy(&attributes) }
            var mask = sigset_t()
            sigemptyset(&mask)
            posix_spawnattr_setsigmask(&attributes, &mask)
            posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
            var pid: pid_t = 0
            let code = posix_spawn(&pid, "/bin/sh", &actions, &attributes, &arguments, environ)
            close(ends[1])
            try #require(code == 0)
            self.pid = pid
            var seen = 0
            var bytes = [UInt8](repeating: 0, count: 64)
            while seen < count * 2 {
                let length = read(ends[0], &bytes, bytes.count)
                guard length > 0 else { break }
                seen += length
            }
        }

        /// Waits for its end. Returns true if it ended by itself.
        @discardableResult
        func reap() -> Bool {
            if status == nil {
                var status: Int32 = 0
                while waitpid(pid, &status, 0) == -1, errno == EINTR {}
                self.status = status
            }
            return (status ?? 0) & 0x7f == 0
        }

        deinit {
            guard status == nil else { return }
            kill(pid, SIGKILL)
            reap()
        }
    }

    private func isStopped(_ process: ProcessIdentity) -> Bool {
        let stat = try? String(contentsOfFile: "/proc/\(process.pid)/stat", encoding: .utf8)
        return stat?.split(separator: ")").last?.hasPrefix(" T") ?? false
    }

    private func isGone(_ process: ProcessIdentity) -> Bool { !process.isAlive }

    @Test("stops all in parts, then kills them, and spares the ancestors")
    func parts() throws {
        let family = try Family(5)
        let members = ProcessTree.members(below: family.pid)
        #expect(members.count >= 5)
        var sweep = KillSweep(below: family.pid)
        // The first part finds the processes, but kills none yet.
        let isDone = sweep.step()
        #expect(!isDone)
        #expect(members.allSatisfy { $0.isAlive })
        // A stopped process does not fork. The kernel stops each process when it is next scheduled.
        while !members.allSatisfy(isStopped) { sched_yield() }
        while !sweep.step() {}
        #expect(sweep.waitForEnd(milliseconds: 10_000) >= 5)
        #expect(members.allSatisfy(isGone))
        #expect(family.reap())
    }

    @Test("kills the processes that the last part has found, although it has not stopped them")
    func lastPart() throws {
        let family = try Family(1)
        let last = try #require(ProcessTree.members(below: family.pid).first)
        let handle = try #require(ProcessHandle(last))
        var parts: Int64 = 0
        var sweep = KillSweep {
            parts += 1
            var found = last
            // Returns another process with that pid, until the limit of parts is reached.
            if parts < 1_000 { found.startTicks += parts }
            return [found]
        }
        while !sweep.step() {}
        #expect(parts == 1_000)
        #expect(handle.waitForEnd(milliseconds: 10_000))
    }

    @Test("treats an ended process as gone before its parent has waited for it")
    func zombie() throws {
        var pid: pid_t = 0
        var words: [UnsafeMutablePointer<CChar>?] = [strdup("true"), nil]
        defer { free(words[0]) }
        try #require(posix_spawn(&pid, "/bin/true", nil, nil, &words, environ) == 0)
        defer { waitpid(pid, nil, 0) }
        var end = siginfo_t()
        try #require(waitid(P_PID, id_t(pid), &end, WEXITED | WNOWAIT) == 0)
        let process = try #require(ProcessIdentity(of: pid))
        #expect(!process.isAlive)
    }

    @Test("never signals a process with a reused ID")
    func reused() throws {
        let family = try Family(1)
        var other = try #require(ProcessIdentity(of: family.pid))
        other.startTicks += 1
        #expect(ProcessHandle(other) == nil)
        let wrong = other
        var sweep = KillSweep { [wrong] }
        while !sweep.step() {}
        other.startTicks -= 1
        #expect(other.isAlive)
        #expect(ProcessTree.members(below: family.pid).count == 1)
        ProcessTree.killAll(below: family.pid)
        family.reap()
    }

    @Test("signals nothing through the handle of a reaped process")
    func reaped() throws {
        let family = try Family(1)
        let handle = try #require(ProcessHandle(family.pid))
        #expect(handle.signal(0))
        ProcessTree.killAll(below: family.pid)
        #expect(handle.waitForEnd(milliseconds: 10_000))
        family.reap()
        #expect(!handle.signal(SIGKILL))
    }

    @Test("kills a child for which no descriptor is free")
    func childWithoutDescriptor() throws {
        let family = try Family(1)
        let strays = ProcessTree.members(below: family.pid)
        defer { for stray in strays { ProcessHandle(stray)?.signal(SIGKILL) } }
        let handle = try #require(ProcessHandle.child(family.pid))
        #expect(handle.pid == family.pid)
        #expect(handle.signal(0))
        let none = ProcessHandle.child(family.pid) { _ in nil }
        #expect(none == nil)
        try #require(handle.waitForEnd(milliseconds: 10_000))
        #expect(!family.reap(), "it ended by itself")
    }

    @Test("uses the identity of a mark's file, not its name or content")
    func mark() throws {
        let path = FileManager.default.temporaryDirectory.path + "/bgrun-mark-\(UUID().uuidString)"
        #expect(ProcessMark(store: path) == nil)
        for name in [path, path + "2"] {
            #expect(FileManager.default.createFile(atPath: name, contents: nil))
        }
        defer { for name in [path, path + "2"] { unlink(name) } }
        let mark = try #require(ProcessMark(store: path))
        #expect(ProcessMark(store: path) == mark && ProcessMark(store: path + "2") != mark)
    }
}
