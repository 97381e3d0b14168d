// SPDX-License-Identifier: Apache-2.0

import BGRunCore
import BGRunLoop
import BGRunProcess
import BGRunWire
import Glibc
import Testing

@testable import BGRunSupervisor

/// Workers here are processes that end at once, and each test decides when that is noticed.
@Suite("A launch whose worker has changed since it was prepared", .timeLimit(.minutes(1)))
final class LaunchTests {
    private let loop: EventLoop
    private let supervisor: Supervisor
    private var notices: [AttemptNotice] = []
    private var started: [pid_t] = []

    init() throws {
        loop = try EventLoop()
        supervisor = Supervisor(
            loop, executable: "/bin/true", limits: SupervisorLimits(.server),
            app: HostMessage.App(
                identifier: "org.test.app", manifestDirectory: "/", permitted: [], tasks: []))
        supervisor.image = { .success(PluginImage(displayPath: $0, path: $0)) }
        supervisor.onNotice = { [unowned self] in notices.append($0) }
    }

    deinit {
        // The supervisor reaps every child of its process; here only these must be.
        for pid in started {
            while waitpid(pid, nil, 0) == -1, errno == EINTR {}
        }
    }

    private static func work(_ attempt: Int64) -> Work {
        Work(
            key: WorkerKey(plugin: "p", environment: [:]),
            launch: HostMessage.Launch(
                attempt: attempt, identifier: "org.test.a", kind: TaskKind.continued.rawValue,
                attemptNumber: 1, action: .handler("h"), parameters: "{}", manifestDirectory: "/",
                deadlineBoottime: .max, assertionLimitNanoseconds: 0,
                device: HostMessage.Device(
                    externalPower: -1, batteryPercent: -1, lowPowerMode: -1, network: -1,
                    networkMetered: -1, userIdle: -1, thermalState: -1, backgroundRefresh: -1),
                checkpoint: nil))
    }

    /// The worker that the attempt is prepared for.
    private func prepare(_ attempt: Int64) throws -> WorkerProcess {
        guard case .ready(let identity) = supervisor.prepare(Self.work(attempt)) else {
            throw CancellationError()
        }
        if !started.contains(identity.pid) { started.append(identity.pid) }
        return try #require(supervisor.workers[identity.pid])
    }

    private func say(_ message: WorkerMessage, _ worker: WorkerProcess) {
        message.frame.withUnsafeBytes { worker.frames.append($0) }
        supervisor.receive(from: worker)
    }

    private func die(_ worker: WorkerProcess) {
        worker.death = .signalled(SIGKILL)
        supervisor.removeFromPool(worker)
        supervisor.finish(worker)
    }

    private func launch(_ attempt: Int64) { supervisor.launch(attempt, deadlineElapsed: nil) }

    /// The reported ends, by attempt.
    private var ends: [Int64: [AttemptEnd]] {
        loop.afterThisRound { [loop] in loop.stop() }
        loop.run()
        var ends: [Int64: [AttemptEnd]] = [:]
        for case .ended(let attempt, let end) in notices { ends[attempt, default: []].append(end) }
        return ends
    }

    @Test("an attempt whose worker has ended ends as the worker did")
    func dead() throws {
        die(try prepare(1))
        #expect(ends.isEmpty)
        launch(1)
        let end = try #require(ends[1])
        #expect(end.map(\.outcome) == [.crashed(signal: SIGKILL)])
        #expect(end[0].message == "while the plugin was loaded (its constructors, entry or init)")
        supervisor.kill(1)
        #expect(ends[1]?.count == 1)
    }

    @Test(
        "a report of the worker before the launch counts, even if the worker has ended",
        arguments: [true, false])
    func refused(_ isGone: Bool) throws {
        let worker = try prepare(1)
        say(.refused("the licence has run out"), worker)
        if isGone { die(worker) }
        launch(1)
        if !isGone { die(worker) }
        let end = try #require(ends[1])
        #expect(end.map(\.outcome) == [.refused] && end[0].message == "the licence has run out")
    }

    @Test("an attempt whose worker lacked a resource before the launch is deferred")
    func short() throws {
        let worker = try prepare(1)
        say(.short(ENOMEM), worker)
        die(worker)
        launch(1)
        #expect(ends.isEmpty)
        let isDeferred = notices.contains {
            if case .deferred(attempt: 1, .memory) = $0 { true } else { false }
        }
        #expect(isDeferred)
    }

    /// A worker that runs attempt 1 and has registered the handlers that attempt 2 needs.
    private func needed() throws -> WorkerProcess {
        let worker = try prepare(1)
        launch(1)
        worker.dynamicIdentifiers = ["org.test.a"]
        #expect(try prepare(2) === worker)
        return worker
    }

    @Test("an attempt that needs the handlers of an ended worker is refused")
    func behindDead() throws {
        die(try needed())
        launch(2)
        #expect(ends[1]?.map(\.outcome) == [.crashed(signal: SIGKILL)])
        let end = try #require(ends[2])
        #expect(end.map(\.outcome) == [.refused])
        #expect(end[0].message?.contains("the process that registered it has ended") == true)
    }

    @Test("an attempt that needs the handlers of an idle worker begins at once")
    func behindIdle() throws {
        let worker = try needed()
        worker.work = nil
        supervisor.busy[1] = nil
        #expect(supervisor.isAwaited(worker))
        launch(2)
        #expect(!supervisor.isAwaited(worker))
        #expect(worker.work?.attempt == 2 && worker.waiting.isEmpty)
        #expect(supervisor.busy[2] === worker)
    }

    @Test("of two attempts prepared for the same idle worker, the second waits for the first")
    func both() throws {
        let worker = try prepare(1)
        worker.dynamicIdentifiers = ["org.test.a"]
        #expect(try prepare(2) === worker)
        launch(1)
        launch(2)
        #expect(worker.work?.attempt == 1)
        #expect(worker.waiting.map(\.launch.attempt) == [2])
        die(worker)
        #expect(ends[1]?.count == 1 && ends[2]?.map(\.outcome) == [.refused])
    }

    @Test("a killed attempt ends even if its worker has ended")
    func killed() throws {
        let worker = try prepare(1)
        launch(1)
        worker.death = .signalled(SIGKILL)
        supervisor.forget(worker)
        #expect(ends.isEmpty)
        supervisor.kill(1)
        supervisor.kill(1)
        #expect(ends[1]?.map(\.outcome) == [.crashed(signal: SIGKILL)])
    }
}
