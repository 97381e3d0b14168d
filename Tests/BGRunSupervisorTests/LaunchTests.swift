// SPDX-License-Identifier: Apache-2.0

import BGRunCore
import BGRunLoop
import BGRunProcess
import BGRunWire
import Glibc
import Testing

@testable import BGRunSupervisor

/// Workers here are processes that end at once, and each test says when that is known.
@Suite("A launch after what it was prepared for has changed", .timeLimit(.minutes(1)))
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

    private static func work(_ attempt: Int64, _ kind: TaskKind) -> Work {
        Work(
            // A file that is there, and stays as it is.
            key: WorkerKey(plugin: "/bin/true", environment: [:]),
            launch: HostMessage.Launch(
                attempt: attempt, identifier: "org.test.a", kind: kind.rawValue,
                attemptNumber: 1, action: .handler("h"), parameters: "{}", manifestDirectory: "/",
                deadlineBoottime: .max, assertionLimitNanoseconds: 0,
                device: HostMessage.Device(
                    externalPower: -1, batteryPercent: -1, lowPowerMode: -1, network: -1,
                    networkMetered: -1, userIdle: -1, thermalState: -1, backgroundRefresh: -1),
                checkpoint: nil))
    }

    /// The worker that the attempt is prepared for.
    private func prepare(
        _ attempt: Int64, _ kind: TaskKind = .continued
    ) throws -> WorkerProcess {
        guard case .ready(let identity) = supervisor.prepare(Self.work(attempt, kind)) else {
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

    /// The ends that were told, by attempt.
    private var ends: [Int64: [AttemptEnd]] {
        loop.afterThisRound { [loop] in loop.stop() }
        loop.run()
        var ends: [Int64: [AttemptEnd]] = [:]
        for case .ended(let attempt, let end) in notices { ends[attempt, default: []].append(end) }
        return ends
    }

    @Test("an attempt whose worker is gone ends as the worker did")
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
        "what the worker has said before the launch counts, whether it is gone or not",
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

    /// A worker that runs attempt 1, and attempt 2 needs the handlers that it has registered.
    private func needed() throws -> WorkerProcess {
        let worker = try prepare(1)
        launch(1)
        worker.dynamicIdentifiers = ["org.test.a"]
        #expect(try prepare(2) === worker)
        return worker
    }

    @Test("one that needs the handlers of a worker that is gone is refused")
    func behindDead() throws {
        die(try needed())
        launch(2)
        #expect(ends[1]?.map(\.outcome) == [.crashed(signal: SIGKILL)])
        let end = try #require(ends[2])
        #expect(end.map(\.outcome) == [.refused])
        #expect(end[0].message?.contains("the process that registered it has ended") == true)
    }

    @Test("one that needs the handlers of a worker that has become idle begins at once")
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

    @Test("of two that were prepared for the same idle worker, the second waits for the first")
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

    @Test("an attempt that is killed ends also when its worker is gone")
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

    /// A worker that is kept after its attempt 1.
    private func kept() throws -> WorkerProcess {
        let worker = try prepare(1)
        worker.work = nil
        supervisor.keep(worker)
        #expect(supervisor.hasWarmWorkers)
        return worker
    }

    @Test("a worker that is kept is given to one attempt, also if that needs its handlers")
    func once() throws {
        let worker = try kept()
        worker.dynamicIdentifiers = ["org.test.a"]
        #expect(try prepare(2) === worker)
        #expect(!supervisor.hasWarmWorkers)
        #expect(try prepare(3, .processing) !== worker)
    }

    @Test("a worker whose attempt is told to end is given to no other attempt")
    func told() throws {
        let worker = try prepare(1)
        launch(1)
        worker.dynamicIdentifiers = ["org.test.a"]
        supervisor.expire(1, .suspend, grace: .seconds(1), deadlineElapsed: .max)
        #expect(try prepare(2) !== worker)
    }

    @Test("a worker whose plugin has been replaced since is ended, and another one started")
    func replaced() throws {
        let worker = try kept()
        worker.plugin = LoadedFile("/nonexistent")
        #expect(try prepare(2, .processing) !== worker)
        // It counts until it has ended.
        #expect(supervisor.hasWarmWorkers)
        supervisor.forget(worker)
        #expect(!supervisor.hasWarmWorkers)
    }

    @Test("a worker that SIGTERM was sent to is not kept, even if it becomes idle")
    func terminated() throws {
        let worker = try prepare(1)
        launch(1)
        say(.completed(attempt: 1, success: true, message: nil, enteredMonotonic: 0), worker)
        supervisor.terminate(1)
        say(.idle(attempt: 1, leftovers: []), worker)
        #expect(!supervisor.hasWarmWorkers && ends.isEmpty)
        die(worker)
        #expect(ends[1]?.map(\.outcome) == [.completed])
    }
}
