// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol
import Foundation
import Glibc
import Testing

@testable import BGRunEventLoop
@testable import BGRunSupervisor
@testable import BGRunSystem

/// The host handles its timers, workers and clients while it kills.
@Suite("A supervisor that kills processes that fork fast", .timeLimit(.minutes(5)))
struct SweepTests {
    /// Counts the parts of a sweep, each of which finds a new process except the last one.
    private final class Fork {
        static let parts = 200
        var count = 0

        /// A sweep of processes that have already ended, so that nothing is signalled.
        func sweep() throws -> KillSweep {
            let me = try #require(ProcessIdentity(of: getpid()))
            return KillSweep { [self] in
                count += 1
                guard count < Self.parts else { return [] }
                var process = me
                process.startTicks -= Int64(count)
                return [process]
            }
        }
    }

    private func supervisor(_ loop: EventLoop, _ fork: Fork) throws -> Supervisor {
        let supervisor = Supervisor(
            loop, executable: "/", limits: SupervisorLimits(.apple),
            app: .init(identifier: "a", manifestDirectory: "/", permitted: [], tasks: []))
        let sweep = try fork.sweep()
        supervisor.makeSweep = { _, _ in sweep }
        return supervisor
    }

    /// The part of the sweep after which a timer that was due at its beginning fired.
    private func heard(_ fork: Fork, _ begin: (EventLoop) throws -> Void) throws -> Int {
        let loop = try EventLoop()
        var part: Int?
        let timer = try LoopTimer(loop) {
            part = part ?? fork.count
            loop.stop()
        }
        timer.set(elapsed: 1)
        try begin(loop)
        loop.run()
        return try #require(part)
    }

    @Test("handles a timer between two parts of killing a worker")
    func worker() throws {
        let fork = Fork()
        let workers = try ScriptedWorkers()
        let worker = try workers.start()
        var supervisor: Supervisor?
        let part = try heard(fork) { loop in
            let made = try self.supervisor(loop, fork)
            supervisor = made
            made.end(worker)
            #expect(made.sweeps[worker.pid] != nil)
        }
        #expect((1...5).contains(part), "after part \(part)")
        withExtendedLifetime((supervisor, workers)) {}
    }

    @Test("handles a timer between two parts of killing processes of dead workers")
    func strays() throws {
        let fork = Fork()
        var supervisor: Supervisor?
        let part = try heard(fork) { loop in
            let made = try self.supervisor(loop, fork)
            supervisor = made
            made.endStrays()
            #expect(made.straySweep != nil)
        }
        #expect((1...5).contains(part), "after part \(part)")
        withExtendedLifetime(supervisor) {}
    }

    @Test("continues in each round until all are killed")
    func continues() throws {
        let fork = Fork()
        let loop = try EventLoop()
        let supervisor = try supervisor(loop, fork)
        supervisor.endStrays()
        func look() { supervisor.straySweep == nil ? loop.stop() : loop.inNextRound(look) }
        loop.inNextRound(look)
        loop.run()
        #expect(fork.count == Fork.parts)
    }

    @Test("stops parents before their children, in any order of process IDs")
    func parentsFirst() {
        // Process IDs wrap around: a child can have a lower one than its parent.
        let parents: [pid_t: pid_t] = [9: 1, 3: 9, 20: 3, 4: 20, 5: 9, 7: 2, 6: 6]
        let identities = parents.keys.map { ProcessIdentity(pid: $0, startTicks: 1, bootID: "b") }
        for _ in 0..<20 {
            let ordered = ProcessTree.parentsFirst(Set(identities.shuffled())) { parents[$0] }
                .map(\.pid)
            #expect(Set(ordered) == Set(parents.keys) && ordered.count == parents.count)
            for (child, parent) in parents {
                guard let first = ordered.firstIndex(of: parent) else { continue }
                #expect(first <= ordered.firstIndex(of: child) ?? -1, "\(ordered)")
            }
        }
    }

    @Test("finds marked processes, parents first, and kills them all")
    func marked() throws {
        let mark = try #require(ProcessMark(store: Bundle.main.executablePath ?? "/"))
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = [
            "-c",
            "f() { if [ $1 = 0 ]; then echo; exec sleep 10000; else (f $(($1 - 1)); :); fi; }; f 6",
        ]
        process.environment = [ProcessMark.variable: mark.value, "PATH": "/usr/bin:/bin"]
        process.standardOutput = output
        try process.run()
        #expect(!output.fileHandleForReading.availableData.isEmpty)
        let pids = mark.holders(sparing: []).map(\.pid)
        #expect(pids.count == 7 && pids.first == process.processIdentifier)
        for (parent, child) in zip(pids, pids.dropFirst()) {
            #expect(ProcFile.statFields(of: child)?.parent == parent)
        }
        #expect(mark.killAll(timeout: 60_000) == 7)
        process.waitUntilExit()
        #expect(mark.holders(sparing: []).isEmpty)
    }
}
