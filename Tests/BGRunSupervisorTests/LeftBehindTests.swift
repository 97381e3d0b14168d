// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import BGRunEventLoop
@testable import BGRunSupervisor
@testable import BGRunSystem

@Suite("What dead workers leave behind", .timeLimit(.minutes(1)))
final class LeftBehindTests: SupervisorBench {
    private let others: ScriptedWorkers
    /// What was to be killed below this process, and what was to be spared.
    private var swept: [Set<pid_t>] = []
    private var onSweep: () -> Void = {}

    override init() throws {
        others = try ScriptedWorkers()
        try super.init()
        // Other tests have children as well: none is killed.
        supervisor.makeSweep = { [unowned self] root, spared in
            if root == getpid() { swept.append(spared) }
            onSweep()
            return KillSweep { [] }
        }
    }

    /// A worker that has died while a process that it started lives on.
    private func dead() throws -> WorkerProcess {
        let worker = try prepare(1)
        launch(1)
        // A child of this process that the supervisor has not started.
        _ = try others.start()
        worker.death = .signalled(SIGKILL)
        return worker
    }

    @Test("is killed, without the host's own children")
    func companions() throws {
        let worker = try dead()
        let companion = try others.start().pid
        supervisor.accompany(companion)
        supervisor.collectStrays()
        #expect(swept == [[worker.pid, companion]])
        #expect(supervisor.livePids == [companion])
        #expect(ends.isEmpty)
    }

    @Test("has the time until SIGKILL after a SIGTERM")
    func terminating() throws {
        try dead().isTerminating = true
        supervisor.collectStrays()
        #expect(swept.isEmpty)
        supervisor.kill(1)
        #expect(swept.count == 1)
    }

    @Test("keeps the attempt open while it cannot be listed")
    func unlisted() throws {
        _ = try dead()
        supervisor.listChildren = { _ in nil }
        supervisor.collectStrays()
        #expect(ends.isEmpty && swept.isEmpty && supervisor.strayTimer != nil)
        supervisor.listChildren = { _ in [] }
        supervisor.collectStrays()
        #expect(ends[1]?.count == 1)
    }

    @Test("is looked for again when it cannot be listed now")
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
