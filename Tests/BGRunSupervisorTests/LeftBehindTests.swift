// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol
import Glibc
import Testing

@testable import BGRunEventLoop
@testable import BGRunSupervisor
@testable import BGRunSystem

@Suite("Remaining processes of dead workers", .timeLimit(.minutes(5)))
final class LeftBehindTests: SupervisorBench {
    private let others: ScriptedWorkers
    /// For each sweep below this process, the processes that it spares.
    private var sweeps: [() -> Set<pid_t>] = []
    private var swept: [Set<pid_t>] { sweeps.map { $0() } }
    private var onSweep: () -> Void = {}

    override init() throws {
        others = try ScriptedWorkers()
        try super.init()
        supervisor.listChildren = { ProcessTree.knownChildren(of: $0) }
        // Kills nothing: other tests have children, too.
        supervisor.makeSweep = { [unowned self] root, spared in
            if root == getpid() { sweeps.append(spared) }
            onSweep()
            return KillSweep { [] }
        }
    }

    /// A worker that has died while a process that it started continues.
    private func dead() throws -> WorkerProcess {
        let worker = try launched(1)
        // A child of this process that the supervisor did not start.
        _ = try others.start()
        worker.death = .signalled(SIGKILL)
        return worker
    }

    @Test("are killed, without the host's own children")
    func helperProcesses() throws {
        let worker = try dead()
        let helper = try others.start().pid
        supervisor.addHelper(helper)
        supervisor.collectStrays()
        #expect(swept == [[worker.pid, helper]])
        #expect(supervisor.livePids == [helper])
        #expect(ends.isEmpty)
    }

    @Test("may use the time between SIGTERM and SIGKILL")
    func terminating() throws {
        try dead().isTerminating = true
        supervisor.collectStrays()
        #expect(swept.isEmpty)
        supervisor.kill(1)
        #expect(swept.count == 1)
    }

    @Test("may use that time while the end of the worker that got SIGTERM is unknown")
    func maybeTerminating() throws {
        let other = try launched(2)
        other.isTerminating = true
        _ = try becomeIdle { [$0.pid, other.pid, .max] }
        #expect(swept.isEmpty && supervisor.hasWarmWorkers)
        supervisor.kill(2)
        #expect(swept.count == 1)
    }

    @Test("are killed, without children from before the process executed bgrun")
    func earlier() throws {
        let earlier = try others.start().pid
        supervisor.listChildren = { _ in [earlier] }
        supervisor.spareChildren()
        #expect(!supervisor.hasWorkers && !supervisor.hasWarmWorkers)
        supervisor.listChildren = { ProcessTree.knownChildren(of: $0) }
        let worker = try dead()
        supervisor.collectStrays()
        #expect(swept == [[worker.pid, earlier]])
        #expect(supervisor.livePids == [earlier])
    }

    @Test("are not listed before the earlier children of the process are known")
    func earlierUnknown() throws {
        let earlier = try others.start().pid
        supervisor.listChildren = { _ in nil }
        supervisor.spareChildren()
        #expect(supervisor.prepare(Self.work(1)) == .short(.descriptors))
        #expect(!supervisor.hasWorkers)
        supervisor.listChildren = { _ in [earlier] }
        let worker = try prepare(1)
        #expect(supervisor.knownPids == [worker.pid, earlier])
    }

    @Test("may use the time of workers that got SIGTERM before, not after, they were found")
    func laterTerminating() throws {
        let first = try launched(2)
        let second = try launched(3)
        first.isTerminating = true
        let (early, late) = (pid_t.max, pid_t.max - 1)
        var strays = [early]
        _ = try becomeIdle { _ in strays }
        #expect(swept.isEmpty)
        second.isTerminating = true
        strays.append(late)
        supervisor.kill(2)
        try #require(swept.count == 1)
        #expect(!swept[0].contains(early) && swept[0].contains(late))
        // Each part of the sweep reads the list again.
        strays.append(late - 1)
        #expect(swept[0].contains(late - 1))
        strays = [late]
        supervisor.kill(3)
        #expect(swept.count == 2 && !swept[1].contains(late))
    }

    @Test("are killed, without a child that the host starts meanwhile")
    func startedMeanwhile() throws {
        let worker = try dead()
        supervisor.collectStrays()
        let helper = try others.start().pid
        supervisor.addHelper(helper)
        #expect(swept == [[worker.pid, helper]])
    }

    @Test("keep the attempt open while they cannot be listed")
    func unlisted() throws {
        _ = try dead()
        supervisor.listChildren = { _ in nil }
        supervisor.collectStrays()
        #expect(ends.isEmpty && swept.isEmpty && supervisor.strayTimer != nil)
        supervisor.listChildren = { _ in [] }
        supervisor.collectStrays()
        #expect(ends[1]?.count == 1)
    }

    @Test("are found although the kernel omits them from one list")
    func leftOut() throws {
        _ = try dead()
        var lists: [[pid_t]] = [[], [.max]]
        supervisor.listChildren = { _ in lists.count > 1 ? lists.removeFirst() : lists[0] }
        supervisor.collectStrays()
        #expect(ends.isEmpty && swept.count == 1)
        lists = [[]]
        supervisor.collectStrays()
        #expect(ends[1]?.count == 1)
    }

    @Test("may use no more time after a list that omitted them")
    func leftOutWhileTerminating() throws {
        let first = try launched(2)
        let second = try launched(3)
        first.isTerminating = true
        var lists: [[pid_t]] = [[.max]]
        _ = try becomeIdle { _ in lists.count > 1 ? lists.removeFirst() : lists[0] }
        #expect(swept.isEmpty)
        second.isTerminating = true
        lists = [[], [.max]]
        supervisor.kill(2)
        #expect(swept.count == 1)
    }

    @Test("count as remaining work when no worker remains")
    func withoutWorkers() throws {
        let worker = try becomeIdle { _ in [.max] }
        die(worker)
        #expect(supervisor.workers.isEmpty && supervisor.hasWorkers)
    }

    /// The worker of attempt 1 becomes idle while the host has these children.
    private func becomeIdle(
        _ children: @escaping (WorkerProcess) -> [pid_t]?
    ) throws -> WorkerProcess {
        let worker = try launched(1)
        supervisor.listChildren = { [unowned worker] _ in children(worker) }
        say(.completed(attempt: 1, success: true, message: nil, enteredMonotonic: 0), worker)
        say(.idle(attempt: 1, leftovers: []), worker)
        return worker
    }

    @Test("are all killed, also while the worker lives; the worker is kept")
    func ofLiving() throws {
        var strays: [pid_t] = [.max]
        let worker = try becomeIdle { [$0.pid] + strays }
        #expect(swept == [[worker.pid]] && supervisor.hasWarmWorkers)
        #expect(ends[1]?.map(\.outcome) == [.completed])
        supervisor.collectStrays()
        #expect(swept.count == 2)
        strays = []
        supervisor.collectStrays()
        // Processes of a running handler are permitted.
        strays = [.max]
        supervisor.collectStrays()
        #expect(swept.count == 2)
    }

    @Test("end the worker that becomes idle while they cannot be listed")
    func unlistedAtIdle() throws {
        let worker = try becomeIdle { _ in nil }
        #expect(worker.isEnding && !supervisor.hasWarmWorkers && ends.isEmpty)
    }

    @Test("are listed again later if they cannot be listed now")
    func later() throws {
        _ = try dead()
        var now = timespec()
        clock_gettime(CLOCK_BOOTTIME, &now)
        let giveUp = try LoopTimer(loop) { [loop] in loop.stop() }
        giveUp.set(elapsed: Int64(now.tv_sec + 10) * 1_000_000_000)
        onSweep = { [loop] in loop.stop() }
        supervisor.lookForStraysLater()
        loop.run()
        #expect(swept.count == 1)
    }
}
