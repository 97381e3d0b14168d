// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunPolicy
import BGRunProtocol
import BGRunSystem
import Glibc
import Testing

@testable import BGRunSupervisor

/// A supervisor whose workers are processes that end at once; each test chooses when it notices.
class SupervisorBench {
    let loop: EventLoop
    let supervisor: Supervisor
    var notices: [AttemptNotice] = []
    private var started: [pid_t] = []

    init() throws {
        loop = try EventLoop()
        supervisor = Self.supervisor(loop, "/bin/true")
        supervisor.onNotice = { [unowned self] in notices.append($0) }
    }

    /// - Parameter executable: The program of the workers.
    init(executable: String) throws {
        loop = try EventLoop()
        supervisor = Self.supervisor(loop, executable)
        supervisor.onNotice = { [unowned self] in notices.append($0) }
    }

    private static func supervisor(_ loop: EventLoop, _ executable: String) -> Supervisor {
        let supervisor = Supervisor(
            loop, executable: executable, limits: SupervisorLimits(.server),
            app: HostMessage.App(
                identifier: "org.test.app", manifestDirectory: "/", permitted: [], tasks: []))
        supervisor.image = { .success(PluginImage(displayPath: $0, path: $0)) }
        // The children of other tests do not count.
        supervisor.listChildren = { _ in [] }
        return supervisor
    }

    deinit {
        // The supervisor would reap every child of the process; the tests reap only their own.
        for pid in started { Self.kill(pid) }
    }

    /// Kills a child and waits for its end.
    static func kill(_ pid: pid_t) {
        Glibc.kill(pid, SIGKILL)
        while waitpid(pid, nil, 0) == -1, errno == EINTR {}
    }

    /// - Parameter plugin: An existing file that does not change.
    static func work(
        _ attempt: Int64, _ kind: TaskKind = .continued, plugin: String = "/bin/true",
        environment: [String: String] = [:]
    ) -> Work {
        Work(
            key: WorkerKey(plugin: plugin, environment: environment),
            launch: HostMessage.Launch(
                attempt: attempt, identifier: "org.test.a", kind: kind.rawValue,
                attemptNumber: 1, action: .handler("h"), parameters: "{}", manifestDirectory: "/",
                deadlineBoottime: .max, assertionLimitNanoseconds: 0,
                device: .unknown, checkpoint: nil))
    }

    /// Prepares an attempt. Returns its worker.
    func prepare(
        _ attempt: Int64, _ kind: TaskKind = .continued, plugin: String = "/bin/true",
        environment: [String: String] = [:]
    ) throws -> WorkerProcess {
        let work = Self.work(attempt, kind, plugin: plugin, environment: environment)
        guard case .ready(let identity) = supervisor.prepare(work) else {
            throw CancellationError()
        }
        if !started.contains(identity.pid) { started.append(identity.pid) }
        return try #require(supervisor.workers[identity.pid])
    }

    /// Prepares and launches an attempt. Returns its worker.
    func launched(
        _ attempt: Int64, _ kind: TaskKind = .continued, plugin: String = "/bin/true",
        environment: [String: String] = [:]
    ) throws -> WorkerProcess {
        let worker = try prepare(attempt, kind, plugin: plugin, environment: environment)
        launch(attempt)
        return worker
    }

    func say(_ message: WorkerMessage, _ worker: WorkerProcess) {
        message.frame.withUnsafeBytes { worker.frames.append($0) }
        supervisor.receive(from: worker)
    }

    func die(_ worker: WorkerProcess) {
        worker.death = .signalled(SIGKILL)
        supervisor.removeFromPool(worker)
        supervisor.finish(worker)
    }

    func launch(_ attempt: Int64) { supervisor.launch(attempt, deadlineElapsed: nil) }

    /// Two connected, non-blocking sockets; the caller closes them.
    func socketPair() throws -> [Int32] {
        var ends: [Int32] = [-1, -1]
        let type = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        try #require(socketpair(AF_UNIX, Int32(type), 0, &ends) == 0)
        return ends
    }

    /// The bytes that `outlet` sends to a worker while `body` runs, at most 64 KiB.
    func sent(
        to worker: WorkerProcess, by outlet: ReferenceWritableKeyPath<WorkerProcess, Outlet>,
        _ body: () -> Void
    ) throws -> [UInt8] {
        let ends = try socketPair()
        defer { for end in ends { close(end) } }
        let own = worker[keyPath: outlet]
        worker[keyPath: outlet] = Outlet(ends[0])
        body()
        worker[keyPath: outlet] = own
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = read(ends[1], &bytes, bytes.count)
        return Array(bytes.prefix(max(0, count)))
    }

    /// Handles work that is deferred to the end of the round.
    func settle() {
        loop.afterThisRound { [loop] in loop.stop() }
        loop.run()
    }

    /// Runs one round of the loop.
    func turn() {
        loop.inNextRound { [loop] in loop.stop() }
        loop.run()
    }

    /// The reported ends, by attempt.
    var ends: [Int64: [AttemptEnd]] {
        settle()
        var ends: [Int64: [AttemptEnd]] = [:]
        for case .ended(let attempt, let end) in notices { ends[attempt, default: []].append(end) }
        return ends
    }
}
