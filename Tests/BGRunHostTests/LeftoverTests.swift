// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunStorage
import BGRunSystem
import Foundation
import Glibc
import Testing

@testable import BGRunHost

@Suite("Remaining processes of an earlier host", .timeLimit(.minutes(5)))
struct LeftoverTests {
    /// A process that runs until it is killed, with a child in another session.
    private final class Leftover {
        let process = Process()
        let child: pid_t

        /// - Parameter environment: nil: the environment of this process.
        init(_ environment: [String: String]? = nil) throws {
            let output = Pipe()
            process.executableURL = URL(filePath: "/bin/sh")
            process.arguments = [
                "-c", "setsid sh -c 'echo $$; exec sleep 10000' & wait",
            ]
            process.standardOutput = output
            if let environment { process.environment = environment }
            try process.run()
            var text = ""
            while !text.contains("\n") {
                let data = output.fileHandleForReading.availableData
                guard !data.isEmpty else { break }
                text += String(decoding: data, as: UTF8.self)
            }
            child = try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        }

        var pid: pid_t { process.processIdentifier }

        deinit {
            kill(child, SIGKILL)
            kill(pid, SIGKILL)
        }
    }

    private func row(_ identity: ProcessIdentity) -> [StoreChange] {
        let request = TaskRequest(
            id: 1, identifier: "org.test.a", kind: .processing,
            submitted: WallTime(milliseconds: 1), earliest: nil)
        let attempt = Attempt(
            id: 1, request: request, declaration: "org.test.a", deadlineElapsed: 1,
            launched: Instant(elapsed: 1, wall: WallTime(milliseconds: 1)))
        return [
            .putRequest(request),
            .beginAttempt(attempt, worker: identity),
        ]
    }

    private func bench(_ identity: ProcessIdentity) throws -> HostBench {
        let changes = row(identity)
        return try HostBench(HostBench.task("org.test.a")) {
            try $0.apply(changes, durability: .normal)
        }
    }

    @Test("exclude children from before the process executed bgrun")
    func earlierChildren() throws {
        let bench = try HostBench(HostBench.task("org.test.a"))
        #expect(!bench.supervisor.hasSparedChildren)
        try bench.host.start()
        #expect(bench.supervisor.hasSparedChildren)
    }

    private func isGone(_ pid: pid_t) -> Bool {
        !(ProcessIdentity(of: pid)?.isAlive ?? false)
    }

    @Test(
        "a remaining worker is killed with its child in another session, and this is logged")
    func worker() throws {
        let leftover = try Leftover()
        let bench = try bench(try #require(ProcessIdentity(of: leftover.pid))).started()
        #expect(isGone(leftover.pid))
        #expect(becomes { isGone(leftover.child) })
        #expect(bench.log.has("Killed process \(leftover.pid), which an earlier host had left"))
        #expect(bench.supervisor.launched == [2])
    }

    @Test("a worker has ended when its kill returns, even if its memory takes long to free")
    func waits() throws {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", "exec dd if=/dev/zero bs=128M count=1 2>&-"]
        process.standardOutput = output
        try process.run()
        // It has allocated all of its memory, and waits until its output is read.
        try #require(!output.fileHandleForReading.availableData.isEmpty)
        let identity = try #require(ProcessIdentity(of: process.processIdentifier))
        let handle = try #require(ProcessHandle(identity))
        #expect(SystemLeftovers().end(identity))
        #expect(handle.waitForEnd(milliseconds: 0))
    }

    @Test("a process with a reused ID or from an earlier boot is spared")
    func reused() throws {
        let leftover = try Leftover()
        var identity = try #require(ProcessIdentity(of: leftover.pid))
        identity.startTicks -= 1
        try bench(identity).host.start()
        identity.startTicks += 1
        identity.bootID = "another"
        let bench = try bench(identity).started()
        #expect(!isGone(leftover.pid) && !isGone(leftover.child))
        #expect(!bench.log.has("Killed process"))
        #expect(bench.supervisor.launched == [2])
    }

    @Test(
        "a process that outlived host and worker is found by its mark and killed before a retry"
    )
    func marked() throws {
        let none = ProcessIdentity(pid: .max, startTicks: 1, bootID: "none")
        let changes = row(none)
        var leftover: Leftover?
        var other: Leftover?
        let bench = try HostBench(HostBench.task("org.test.a")) { store in
            try store.apply(changes, durability: .normal)
            let mark = try #require(ProcessMark(store: store.path)).value
            let path = ["PATH": "/usr/bin:/bin"]
            leftover = try Leftover(path.merging([ProcessMark.variable: mark]) { $1 })
            // A process of another app, whose mark has the same beginning.
            other = try Leftover(path.merging([ProcessMark.variable: mark + "0"]) { $1 })
        }
        let (marked, spared) = (try #require(leftover), try #require(other))
        var wasGone: Bool?
        bench.supervisor.looking = { call in
            if case .prepare = call { wasGone = isGone(marked.pid) && isGone(marked.child) }
        }
        try bench.host.start()
        #expect(wasGone == true)
        #expect(!isGone(spared.pid) && !isGone(spared.child))
        #expect(bench.log.has("that attempts of an earlier host had started"))
    }

    @Test(
        "without a stored attempt the search is done only if the last host may have left workers",
        arguments: [true, false])
    func unstored(_ isClean: Bool) throws {
        var leftover: Leftover?
        let bench = try HostBench(HostBench.task("org.test.a")) { store in
            let mark = try #require(ProcessMark(store: store.path)).value
            leftover = try Leftover([ProcessMark.variable: mark, "PATH": "/usr/bin:/bin"])
            if !isClean { WorkersFile(store: store.path).create() }
        }
        let marked = try #require(leftover)
        try bench.host.start()
        #expect(isGone(marked.pid) == !isClean && isGone(marked.child) == !isClean)
    }

    @Test(
        "a host that ends normally records that no worker is left; one that breaks down does not"
    )
    func ends() throws {
        for (isBroken, hasWorkers) in [(false, false), (false, true), (true, false)] {
            let bench = try HostBench(HostBench.task("org.test.a"))
            let file = WorkersFile(store: bench.store.path)
            file.create()
            bench.supervisor.hasWorkers = hasWorkers
            try bench.host.start()
            #expect(file.exists)
            if isBroken {
                bench.host.breakDown(.busy(path: bench.store.path))
            } else {
                bench.host.shutDown()
            }
            #expect(file.exists == (isBroken || hasWorkers))
        }
    }

    /// Polls until `body` returns true; the time limit of the suite ends a failure.
    private func becomes(_ body: () -> Bool) -> Bool {
        while !body() { sched_yield() }
        return true
    }
}
