// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunPolicy
import BGRunSystem
import Glibc
import Testing

@testable import BGRunSupervisor

@Suite("The place of a process below another one", .timeLimit(.minutes(5)))
struct ProcessBranchTests {
    private static let root: pid_t = 100

    /// Processes that change while they are read.
    private final class Processes {
        /// By pid: parents, and clock ticks from boot to the start.
        var living: [pid_t: (parent: pid_t, ticks: Int64)]
        var foreign: Set<pid_t> = []
        /// Before the reading of this number.
        var changes: [Int: (Processes) -> Void] = [:]
        private(set) var readings = 0

        init(_ parents: [pid_t: pid_t]) { living = parents.mapValues { ($0, 7) } }

        func branch(of pid: pid_t, ticks: Int64 = 7) -> ProcessBranch {
            ProcessBranch(
                of: ProcessIdentity(pid: pid, startTicks: ticks, bootID: ""), below: root
            ) { [self] pid in
                changes[readings]?(self)
                readings += 1
                if foreign.contains(pid) { return .foreign }
                guard let process = living[pid] else { return .missing }
                return .process(parent: process.parent, startTicks: process.ticks)
            }
        }
    }

    @Test("is its ancestor, or itself, that is a child of the other one")
    func places() {
        let processes = Processes([100: 50, 50: 1, 7: 100, 8: 7, 9: 8, 60: 50, 61: 60, 5: 0])
        #expect(processes.branch(of: 7) == .child(7))
        #expect(processes.branch(of: 9) == .child(7))
        for pid: pid_t in [100, 50, 61, 5] { #expect(processes.branch(of: pid) == .outside) }
    }

    @Test("is outside if another user's hidden process is above it")
    func foreign() {
        let processes = Processes([9: 8, 8: 7])
        processes.foreign = [7]
        #expect(processes.branch(of: 9) == .outside)
    }

    @Test("is not known of a process that has ended, even if its ID is reused")
    func reused() {
        let processes = Processes([7: 1, 8: 1])
        #expect(processes.branch(of: 9) == .unknown)
        #expect(processes.branch(of: 7, ticks: 6) == .unknown)
    }

    @Test("is found although a parent ends while it is read, and its ID is reused outside")
    func orphan() {
        for moment in 1...3 {
            let processes = Processes([7: 100, 8: 7, 9: 8])
            processes.changes[moment] = {
                $0.living[9] = (7, 7)
                $0.living[8] = (1, 8)
            }
            #expect(processes.branch(of: 9) == .child(7), "\(moment)")
        }
    }

    @Test("is not known if parents end all the time, or are too many")
    func endless() {
        let processes = Processes([9: 8])
        #expect(processes.branch(of: 9) == .unknown)
        #expect(processes.readings < 100)
        let most = pid_t(ProcessBranch.mostParents)
        let line = Processes(
            Dictionary(uniqueKeysWithValues: (1_001...1_000 + 2 * most).map { ($0, $0 - 1) }))
        line.living[1_000] = (100, 7)
        #expect(line.branch(of: 1_000 + most - 1) == .child(1_000))
        #expect(line.branch(of: 1_000 + most) == .unknown)
    }

    @Test("tells a program that asks by a socket from processes of confined attempts")
    func peers() throws {
        let workers = try ScriptedWorkers()
        let loop = try EventLoop()
        let supervisor = try workers.confiningSupervisor(loop)
        let worker = workers.directory + "/bgrun-worker"
        try #require(symlink(ScriptedWorkers.shell, worker) == 0)
        func isConfined(_ pid: pid_t, user: uid_t = geteuid()) throws -> Bool {
            let identity = try #require(ProcessIdentity(of: pid))
            return supervisor.isConfined(
                PeerCredentials(user: user, groups: [], process: .known(identity)))
        }
        let unknown = PeerCredentials(user: geteuid(), groups: [])
        let plain = try workers.prepare(supervisor, "exec sleep 10000")
        #expect(try !isConfined(plain.pid))
        #expect(!supervisor.isConfined(unknown))

        let confined = try workers.prepare(
            supervisor, "exec sleep 10000", attempt: 2,
            confinement: ReachedLimitTests.confinement { _ in })
        #expect(try isConfined(confined.pid))
        #expect(try !isConfined(plain.pid))
        #expect(try !isConfined(getpid()))
        #expect(try !isConfined(getppid()))
        #expect(supervisor.isConfined(unknown))
        #expect(
            !supervisor.isConfined(PeerCredentials(user: 7, groups: [], process: .outside)))

        // A child that was not started by the host was left behind by a worker.
        let other = try workers.start()
        #expect(try isConfined(other.pid))
        supervisor.addHelper(other.pid)
        #expect(try !isConfined(other.pid))
    }
}
