// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import BGRunSupervisor
import Foundation
import Glibc
import Testing

@Suite("Attempts and the process of their worker", .timeLimit(.minutes(5)))
struct ProcessTests {
    /// The answers that the host sends now, by the numbers of the calls.
    private typealias Answers = [(UInt32, HostMessage.Answer)]

    /// Runs one attempt of a handler of `process.c` in a new worker, until the worker is idle.
    /// Returns the remains of the attempt in the process.
    private static func run(
        _ handler: String, answer: (UInt32, WorkerMessage.Call) -> Answers = { _, _ in [] }
    ) async throws -> WorkerMessage.Leftovers {
        let worker = try await start(handler)
        defer { PlayedHost.end(worker) }
        while true {
            for message in try PlayedHost.messages(of: worker) {
                switch message {
                case .call(_, let number, let call):
                    for (number, answer) in answer(number, call) {
                        worker.control.send(HostMessage.answer(call: number, answer).frame)
                    }
                case .idle(_, let leftovers): return leftovers
                case .refused(let reason): throw PlayedHost.Failure(description: reason)
                default: break
                }
            }
        }
    }

    /// A worker with one attempt of a handler of `process.c`.
    private static func start(
        _ handler: String, expiring: Bool = false
    ) async throws -> WorkerProcess {
        try PlayedHost.start(
            handler, of: try await plugin.value,
            app: HostMessage.App(
                identifier: "org.test.app", manifestDirectory: "/", permitted: [], tasks: []),
            expiring: expiring)
    }

    private static let plugin = Task { () throws -> String in
        try PlayedHost.compiled("process")
    }

    @Test("an attempt that has completed stays open until its process's calls are answered")
    func processCall() async throws {
        var held: UInt32?
        var answered = 0
        var isLastAnswered = false
        _ = try await Self.run("hold") { number, call in
            switch call {
            case .cancel("last"):
                held = number
                return []
            case .cancel:
                return [(number, HostMessage.Answer(status: held == nil ? -5 : 0))]
            default:
                answered += 1
                guard let held, answered == 200 else {
                    return [(number, HostMessage.Answer(status: 0))]
                }
                isLastAnswered = true
                return [number, held].map { ($0, HostMessage.Answer(status: 0)) }
            }
        }
        #expect(isLastAnswered)
    }

    @Test("a worker whose host no longer reads ends as after the death of its host, not by SIGPIPE")
    func lostHost() async throws {
        let worker = try await Self.start("hold")
        var isReaped = false
        defer { if !isReaped { PlayedHost.end(worker) } }
        var heard: UInt32?
        while heard == nil {
            for case .call(_, let number, .cancel("heard")) in try PlayedHost.messages(of: worker) {
                heard = number
            }
        }
        let number = try #require(heard)
        // The worker's watcher continues to read, so that the next send is the first to fail.
        try #require(shutdown(worker.control.descriptor, Int32(SHUT_RD)) == 0)
        worker.control.send(
            HostMessage.answer(call: number, HostMessage.Answer(status: -5)).frame)
        try #require(worker.waitForEnd(milliseconds: 50_000))
        var status: Int32 = 0
        while waitpid(worker.pid, &status, 0) < 0, errno == EINTR {}
        isReaped = true
        #expect(status == WorkerMessage.lostChannelExitCode << 8)
    }

    @Test("an expiration read before the launch of its attempt is reported when that begins")
    func earlyExpiration() async throws {
        let worker = try await Self.start("obey", expiring: true)
        defer { PlayedHost.end(worker) }
        var isCompleted = false
        while !isCompleted {
            for case .completed(1, _?, _, _) in try PlayedHost.messages(of: worker) {
                isCompleted = true
            }
        }
    }

    @Test("a worker reports that an attempt has changed its priority")
    func priority() async throws {
        #expect(try await Self.run("lower") == .process)
    }
}
