// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunPolicy
import BGRunProtocol
import BGRunSystem
import Foundation
import Glibc
import Testing

@testable import BGRunSupervisor

/// Shell scripts in place of workers, in a temporary directory; deinit ends them.
///
/// Each script is the plugin of a worker whose executable is a shell: a new file cannot be executed while
/// a process that another test starts has it open for writing.
final class ScriptedWorkers {
    static let shell = "/bin/sh"
    let directory: String
    private var started: [WorkerProcess] = []

    init() throws {
        directory = NSTemporaryDirectory() + "bgrun-workers-" + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
    }

    deinit {
        for worker in started { end(worker) }
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// Writes a script to a new file. Returns the path.
    func script(_ text: String) throws -> String {
        let path = directory + "/" + UUID().uuidString
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    func supervisor(_ loop: EventLoop) -> Supervisor {
        let supervisor = Supervisor(
            loop, executable: Self.shell, limits: SupervisorLimits(.server), app: Self.app("first"))
        supervisor.image = { .success(PluginImage(displayPath: $0, path: $0)) }
        return supervisor
    }

    /// A supervisor whose confined workers have the rights of others: a shell plays bgrun-init.
    func confiningSupervisor(_ loop: EventLoop) throws -> Supervisor {
        try FileManager.default.createSymbolicLink(
            atPath: directory + "/bgrun-init", withDestinationPath: Self.shell)
        let supervisor = Supervisor(
            loop, executable: directory + "/bgrun-worker", limits: SupervisorLimits(.server),
            app: Self.app("first"), confiner: EmptyPlans())
        supervisor.image = { .success(PluginImage(displayPath: $0, path: $0)) }
        // The children of other tests do not count.
        supervisor.listChildren = { _ in [] }
        return supervisor
    }

    private struct EmptyPlans: WorkerConfiner {
        func plan(
            _ confinement: Confinement, plugin: PluginImage?
        ) -> Result<WorkerPlan, PluginRefusal> {
            .success(
                WorkerPlan(bytes: [0], environment: [:], mounts: [], paths: [], temporary: []))
        }
    }

    static func app(_ name: String) -> HostMessage.App {
        HostMessage.App(
            identifier: "org.test." + name, manifestDirectory: "/", permitted: [], tasks: [])
    }

    /// The worker that was prepared for the attempt.
    func prepare(
        _ supervisor: Supervisor, _ text: String, attempt: Int64 = 1,
        confinement: Confinement? = nil
    ) throws -> WorkerProcess {
        var work = SupervisorBench.work(attempt, plugin: try script(text))
        work.key.confinement = confinement
        guard case .ready(let identity) = supervisor.prepare(work) else {
            throw CancellationError()
        }
        return take(try #require(supervisor.workers[identity.pid]))
    }

    /// A worker without a supervisor.
    /// - Parameter key: Nil: it sleeps.
    func start(
        _ key: WorkerKey? = nil, executable: String = shell,
        _ change: (inout WorkerSpawn) -> Void = { _ in }
    ) throws -> WorkerProcess {
        var spawn = WorkerSpawn(executable: executable, lineLimit: 100)
        change(&spawn)
        let sleep = WorkerKey(plugin: try script("exec sleep 10000"), environment: [:])
        return take(try spawn.start(key ?? sleep, nil))
    }

    private func take(_ worker: WorkerProcess) -> WorkerProcess {
        started.append(worker)
        return worker
    }

    private func end(_ worker: WorkerProcess) {
        worker.kill()
        while waitpid(worker.pid, nil, 0) == -1, errno == EINTR {}
    }
}
