// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunPolicy
import Foundation
import Glibc
import Testing

@testable import BGRunSupervisor
@testable import BGRunSystem

@Suite("The memory of an attempt with a limit", .timeLimit(.minutes(5)))
struct MemoryWatchTests {
    private let workers: ScriptedWorkers
    private let loop: EventLoop
    private let supervisor: Supervisor
    private static let limit: Int64 = 512 << 20

    init() throws {
        workers = try ScriptedWorkers()
        loop = try EventLoop()
        supervisor = try workers.confiningSupervisor(loop)
    }

    /// The worker of an attempt that was launched.
    private func launched(_ attempt: Int64, limit: Int64? = limit) throws -> WorkerProcess {
        let worker = try workers.prepare(
            supervisor, "exec sleep 10000", attempt: attempt,
            confinement: ReachedLimitTests.confinement { $0.memory = limit })
        supervisor.launch(attempt)
        return worker
    }

    /// The ends of the attempts of workers that were killed.
    private func ends(_ killed: WorkerProcess...) -> [AttemptEnd] {
        var ends: [AttemptEnd] = []
        supervisor.onNotice = { if case .ended(_, let end) = $0 { ends.append(end) } }
        for worker in killed {
            worker.death = .signalled(SIGKILL)
            supervisor.finish(worker)
        }
        loop.afterThisRound { [loop] in loop.stop() }
        loop.run()
        return ends
    }

    @Test(
        "is too much if both readings are above the limit",
        arguments: [
            (511, 600, nil, false), (512, 600, nil, false), (513, 512, nil, true),
            (1_024, 511, nil, true), (513, 513, 513, true), (1_024, 600, 600, true),
        ] as [(Int64, Int64, Int64?, Bool)])
    func excess(most: Int64, exact: Int64, excess: Int64?, isRead: Bool) {
        var pids: [pid_t] = []
        let readings = MemoryWatch.Readings(
            most: { _ in most },
            exact: {
                pids.append($0)
                return exact
            })
        #expect(readings.excess(of: 7, over: 512) == excess)
        #expect(pids == (isRead ? [7] : []), "the slow reading comes only after the other")
    }

    @Test(
        "is read 4 times a second, and in at most a tenth of the time",
        arguments: [
            (0, 250_000_000), (20_000_000, 250_000_000), (100_000_000, 900_000_000),
            (.max, .max),
        ] as [(Int64, Int64)])
    func waits(time: Int64, wait: Int64) {
        #expect(MemoryWatch.wait(afterTaking: time) == wait)
    }

    @Test("is read from the launch to the end of such an attempt, and not for others")
    func active() throws {
        let other = try launched(1, limit: nil)
        #expect(!supervisor.memoryWatch.isActive)
        let worker = try launched(2)
        #expect(supervisor.memoryWatch.isActive)
        var read: Set<pid_t> = []
        supervisor.memoryWatch.readings.most = { [loop] in
            read.insert($0)
            loop.stop()
            return Self.limit
        }
        loop.run()
        #expect(read == [worker.pid] && !worker.isEnding)
        let outcomes = ends(worker, other).map(\.outcome)
        #expect(outcomes == [.crashed(signal: SIGKILL), .crashed(signal: SIGKILL)])
        #expect(!supervisor.memoryWatch.isActive)
    }

    @Test("ends the worker that has too much, and its attempt is limited")
    func limited() throws {
        let (large, small) = (try launched(1), try launched(2))
        let readings: (pid_t) -> Int64 = { $0 == large.pid ? 529 << 20 + 1 : 100 << 20 }
        supervisor.memoryWatch.readings = MemoryWatch.Readings(most: readings, exact: readings)
        supervisor.readMemory()
        #expect(large.isEnding && !small.isEnding)
        #expect(large.waitForEnd(milliseconds: 30_000))
        let ended = ends(large)
        #expect(ended.map(\.outcome) == [.limited(.memory)])
        #expect(ended.map(\.message) == ["530 MiB used of 512 MiB (confine.memory)"])
        #expect(supervisor.memoryWatch.isActive, "the other attempt still runs")
    }

    @Test("a closed channel, and a report or a revocation in time, are explained as for a crash")
    func explained() {
        func outcome(_ change: (inout RunningWork) -> Void) -> Outcome {
            var work = RunningWork(attempt: 1)
            work.signs.reached = ReachedLimit(memory: 2, of: 1)
            change(&work)
            return work.end(.signalled(SIGKILL), hasLoaded: true).outcome
        }
        #expect(outcome { $0.signs.hasLostChannel = true } == .limited(.memory))
        #expect(outcome { $0.tell(.time) } == .expired(.time, reported: nil))
        #expect(
            outcome { $0.report = RunningWork.Report(isSuccess: true, message: nil) } == .completed)
    }

    @Test("a page that two processes share counts once in the exact reading")
    func shared() throws {
        // The child has the variable of its parent, and waits for a writer.
        let script = try workers.script(
            """
            mkfifo "$0.fifo"
            text=$(head -c 30000000 /dev/zero | tr '\\0' x)
            (read -r line <"$0.fifo"; echo "$text") &
            echo ready
            wait
            """)
        let worker = try workers.start(WorkerKey(plugin: script, environment: [:]))
        defer { worker.killEverything() }
        var state = pollfd(fd: worker.output, events: Int16(POLLIN), revents: 0)
        try #require(poll(&state, 1, 60_000) == 1)
        let (most, exact) = (
            ProcessMemory.most(below: worker.pid), ProcessMemory.exact(below: worker.pid)
        )
        #expect(exact >= 30_000_000)
        #expect(most / 4 * 3 > exact, "\(most) and \(exact)")
    }

    @Test("the fields of a file of /proc are added, and a missing one is not 0")
    func fields() throws {
        let path = workers.directory + "/status"
        let text = "Name:\tRssAnon: 9\nRssAnon:\t     148 kB\nRssFile:\t 7 kB\nRssShmem:\t0 kB\n"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        #expect(ProcessMemory.sum(ofFields: ["RssAnon:", "RssShmem:"], path) == 148 << 10)
        #expect(ProcessMemory.sum(ofFields: ["RssFile:", "RssAnon:"], path) == 155 << 10)
        #expect(ProcessMemory.sum(ofFields: ["RssAnon:", "Pss_Anon:"], path) == nil)
        #expect(ProcessMemory.sum(ofFields: ["RssAnon:"], path + "-missing") == nil)
    }
}
