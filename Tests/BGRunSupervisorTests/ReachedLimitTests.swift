// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunPolicy
import BGRunSystem
import CBGRunPlan
import CBGRunShims
import Glibc
import Testing

@testable import BGRunSupervisor

@Suite("An attempt that reaches a limit of its confinement", .timeLimit(.minutes(5)))
struct ReachedLimitTests {
    private let workers: ScriptedWorkers

    init() throws { workers = try ScriptedWorkers() }

    static func confinement(_ change: (inout ConfinementKeys) -> Void) -> Confinement {
        var keys = ConfinementKeys()
        keys.profile = .standard
        change(&keys)
        return Confinement(keys)
    }

    /// Both limits that the kernel enforces with a signal.
    private static let limited = confinement {
        $0.processorTime = .seconds(90)
        $0.fileSize = 512 << 20
    }

    @Test(
        "is limited if its worker dies of the signal of that limit",
        arguments: [
            (SIGXCPU, Outcome.limited(.processorTime), "1m30s used (confine.cpu.time)"),
            (SIGXFSZ, .limited(.fileSize), "a file reached 512 MiB (confine.file_size)"),
            (SIGKILL, .crashed(signal: SIGKILL), nil), (SIGSEGV, .crashed(signal: SIGSEGV), nil),
        ] as [(Int32, Outcome, String?)])
    func signals(signal: Int32, outcome: Outcome, message: String?) {
        let work = RunningWork(attempt: 1)
        let end = work.end(.signalled(signal), hasLoaded: true, confinement: Self.limited)
        #expect(end.outcome == outcome)
        #expect(end.message == message)
    }

    @Test("has crashed without that limit", arguments: [SIGXCPU, SIGXFSZ])
    func unlimited(signal: Int32) {
        let work = RunningWork(attempt: 1)
        for confinement in [nil, Self.confinement { _ in }] {
            let end = work.end(.signalled(signal), hasLoaded: true, confinement: confinement)
            #expect(end.outcome == .crashed(signal: signal))
        }
    }

    @Test("a report or a revocation in time explains the later signal")
    func explained() {
        var work = RunningWork(attempt: 1)
        work.report = RunningWork.Report(isSuccess: true, message: nil)
        let reported = work.end(.signalled(SIGXCPU), hasLoaded: true, confinement: Self.limited)
        #expect(reported.outcome == .completed)
        work = RunningWork(attempt: 1)
        work.tell(.powerLost)
        let told = work.end(.signalled(SIGXFSZ), hasLoaded: true, confinement: Self.limited)
        #expect(told.outcome == .expired(.powerLost, reported: nil))
    }

    @Test(
        "sizes are in the largest unit without a remainder",
        arguments: [(3 << 30, "3072 MiB"), (1_536, "1536 B"), (1_536 << 10, "1536 KiB")]
            as [(Int64, String)])
    func sizes(bytes: Int64, text: String) {
        let limit = ReachedLimit(signal: SIGXFSZ, Self.confinement { $0.fileSize = bytes })
        #expect(limit?.message == "a file reached \(text) (confine.file_size)")
    }

    @Test("a worker with a limit of its processor time is not kept: its next attempt has less")
    func notKept() throws {
        let supervisor = workers.supervisor(try EventLoop())
        let script = try workers.script("exec sleep 10000")
        for (time, isEnding) in [(nil, false), (.hours(1), true)] as [(Interval?, Bool)] {
            let confinement = Self.confinement { $0.processorTime = time }
            let worker = try workers.start(
                WorkerKey(plugin: script, environment: [:], confinement: confinement))
            supervisor.keep(worker)
            #expect(worker.isEnding == isEnding)
        }
    }

    /// A worker whose outer process is `outside`, and what bgrun-init has reported.
    private func confined(
        _ outside: WorkerProcess, _ reports: [(kind: bgrun_init_kind, process: WorkerProcess)]
    ) throws -> WorkerProcess {
        var ends: [Int32] = [-1, -1]
        let type = SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue
        try #require(socketpair(AF_UNIX, Int32(type), 0, &ends) == 0)
        defer { close(ends[1]) }
        for (kind, process) in reports {
            var report = bgrun_init_report()
            report.kind = kind.rawValue
            let sent = withUnsafeBytes(of: &report) {
                bgrun_send_passing(ends[1], $0.baseAddress, $0.count, [process.pidfd], 1)
            }
            try #require(Int(sent) == MemoryLayout<bgrun_init_report>.size)
        }
        let plan = WorkerPlan(bytes: [], environment: [:], mounts: [], paths: [], temporary: [])
        let descriptors = (0..<4).map { _ in open("/dev/null", O_RDWR | O_CLOEXEC) }
        return WorkerProcess(
            key: outside.key, identity: outside.identity,
            handle: try #require(ProcessHandle(outside.pid)), launch: descriptors[0],
            control: descriptors[1], output: descriptors[2], error: descriptors[3], lineLimit: 100,
            link: InitLink(ends[0], plan))
    }

    @Test("a confined worker has ended before the process of bgrun-init that waits for it")
    func confinedEnd() throws {
        let (outside, inside) = (try workers.start(), try workers.start())
        let worker = try confined(outside, [(BGRUN_INIT_READY, inside)])
        #expect(worker.handlerPid == inside.pid && worker.isHandlerAlive)
        inside.kill()
        #expect(inside.waitForEnd(milliseconds: 30_000))
        #expect(!worker.isHandlerAlive && outside.identity.isAlive)
    }

    @Test("a confined worker has ended even if its namespace reaped it before its report was read")
    func reapedEnd() throws {
        let (outside, first, inside) = (
            try workers.start(), try workers.start(), try workers.start()
        )
        let worker = try confined(
            outside, [(BGRUN_INIT_STARTED, first), (BGRUN_INIT_READY, inside)])
        SupervisorBench.kill(inside.pid)
        #expect(worker.handlerPid == nil && !worker.isHandlerAlive)
        #expect(outside.identity.isAlive && first.identity.isAlive)
    }
}
