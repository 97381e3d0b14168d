// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import BGRunSupervisor
import Foundation
import Glibc

/// A simulated host, which starts the real worker with a plugin of Fixtures, and sends the answers of
/// the test.
struct PlayedHost {
    /// The messages of an attempt.
    struct Transcript {
        var calls: [WorkerMessage.Call] = []
        var lines: [String] = []
        /// The calls and the report, in order.
        var order: [String] = []
        var isSuccess: Bool?
    }

    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    static let device = HostMessage.Device.unknown

    /// Runs one attempt of a handler in a new worker, until the worker is idle.
    /// - Parameter readings: The device readings to send before the answer of a call, by its number from 1.
    static func run(
        _ handler: String, kind: UInt8 = 2, parameters: String = "{}", directory: String = "/",
        answer: (WorkerMessage.Call) -> HostMessage.Answer = { _ in HostMessage.Answer(status: 0) },
        readings: (Int) -> HostMessage.Device? = { _ in nil }
    ) async throws -> Transcript {
        let worker = try start(
            handler, of: try await plugin.value, kind: kind, parameters: parameters,
            directory: directory)
        defer { end(worker) }
        var transcript = Transcript()
        while true {
            for message in try messages(of: worker) {
                switch message {
                case .call(_, let number, let call):
                    transcript.calls.append(call)
                    transcript.order.append("\(call)")
                    if let device = readings(transcript.calls.count) {
                        worker.control.send(HostMessage.device(device).frame)
                    }
                    worker.control.send(HostMessage.answer(call: number, answer(call)).frame)
                case .log(_, _, let text): transcript.lines.append(text)
                case .completed(_, let isSuccess?, _, _):
                    transcript.isSuccess = isSuccess
                    transcript.order.append("completed")
                case .idle: return transcript
                case .refused(let reason): throw Failure(description: reason)
                default: break
                }
            }
        }
    }

    /// A worker with one attempt of a handler; `end` ends it.
    /// - Parameters:
    ///   - atLaunch: The readings for the plugin's init.
    ///   - expiring: Whether the worker reads the expiration of the attempt before its launch.
    ///   - secrets: The names of its secrets.
    ///   - passing: The descriptors that go with the launch.
    static func start(
        _ handler: String, of plugin: String, kind: UInt8 = 2, parameters: String = "{}",
        directory: String = "/", app: HostMessage.App? = nil,
        atLaunch: HostMessage.Device? = nil, expiring: Bool = false, secrets: [String] = [],
        passing: [Int32] = []
    ) throws -> WorkerProcess {
        let worker = try WorkerSpawn(
            executable: Built.directory + "/bgrun-worker", lineLimit: 4_096, app: app
        ).start(
            WorkerKey(plugin: plugin, environment: [:]),
            PluginImage(displayPath: plugin, path: plugin, descriptor: nil, owner: nil),
            device: atLaunch)
        if expiring {
            let expiration = HostMessage.Expiration(
                attempt: 1, reason: 1, reasonText: "time", graceNanoseconds: 0, deadlineBoottime: 0)
            worker.control.send(HostMessage.expire(expiration).frame)
            var unread: Int32 = 1
            while unread > 0 {
                try Task.checkCancellation()
                worker.control.flush()
                guard ioctl(worker.control.descriptor, UInt(TIOCOUTQ), &unread) == 0 else {
                    throw Failure(description: "the unread bytes are unknown")
                }
                sched_yield()
            }
        }
        launch(
            handler, in: worker, kind: kind, parameters: parameters, directory: directory,
            secrets: secrets, passing: passing)
        return worker
    }

    /// Sends an attempt to an idle worker.
    static func launch(
        _ handler: String, in worker: WorkerProcess, kind: UInt8 = 2, parameters: String = "{}",
        directory: String = "/", secrets: [String] = [], passing: [Int32] = []
    ) {
        worker.launch.send(
            HostMessage.launch(
                HostMessage.Launch(
                    attempt: 1, identifier: "org.test.task", kind: kind, attemptNumber: 1,
                    action: .handler(handler), parameters: parameters,
                    manifestDirectory: directory, deadlineBoottime: 0,
                    assertionLimitNanoseconds: 0, device: device, checkpoint: nil,
                    secrets: secrets)
            ).frame, passing: passing)
    }

    static func end(_ worker: WorkerProcess) {
        kill(worker.pid, SIGKILL)
        while waitpid(worker.pid, nil, 0) < 0, errno == EINTR {}
    }

    /// Waits for a message of the worker.
    static func messages(of worker: WorkerProcess) throws -> [WorkerMessage] {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            worker.control.flush()
            var polled = pollfd(
                fd: worker.control.descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&polled, 1, 60_000) > 0 else {
                throw Failure(description: "the worker says nothing")
            }
            let count = read(worker.control.descriptor, &chunk, chunk.count)
            if count < 0, errno == EAGAIN || errno == EINTR { continue }
            guard count > 0 else { throw Failure(description: "the worker has ended") }
            chunk.withUnsafeBytes {
                worker.frames.append(UnsafeRawBufferPointer(rebasing: $0[..<count]))
            }
            var messages: [WorkerMessage] = []
            while let payload = try worker.frames.next() {
                messages.append(try WorkerMessage(payload: payload))
            }
            if !messages.isEmpty { return messages }
        }
    }

    private static let plugin = Task { () throws -> String in try compiled("transfers") }

    /// A plugin of Fixtures.
    static func compiled(_ name: String) throws -> String {
        let source = Built.package + "/Tests/BGRunWorkerTests/Fixtures/\(name).c"
        let output = Built.directory + "/worker-\(name).so"
        let compiler = Process()
        compiler.executableURL = URL(fileURLWithPath: "/usr/bin/cc")
        compiler.arguments = [
            "-std=c17", "-D_GNU_SOURCE", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-fPIC",
            "-shared", "-I", Built.package + "/Sources/ABI/include", "-o", output, source,
        ]
        try compiler.run()
        compiler.waitUntilExit()
        guard compiler.terminationStatus == 0 else {
            throw Failure(description: "\(source) does not compile")
        }
        return output
    }
}

/// The place of the built programs.
enum Built {
    static let directory = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().path
    static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().path
}
