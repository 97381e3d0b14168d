// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import BGRunSupervisor
import Foundation
import Glibc
import Testing

@Suite("Attempts and the process of their worker", .timeLimit(.minutes(1)))
struct ProcessTests {
    /// What a host answers now, by the numbers of the calls.
    private typealias Answers = [(UInt32, HostMessage.Answer)]

    /// Runs one attempt of a handler of `process.c` in a worker of its own, until that is idle.
    /// Returns what the attempt has left behind.
    private static func run(
        _ handler: String, answer: (UInt32, WorkerMessage.Call) -> Answers = { _, _ in [] }
    ) async throws -> WorkerMessage.Leftovers {
        let worker = try PlayedHost.start(
            handler, of: try await plugin.value,
            app: HostMessage.App(
                identifier: "org.test.app", manifestDirectory: "/", permitted: [], tasks: []))
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

    @Test("a worker says that an attempt has left another priority behind")
    func priority() async throws {
        #expect(try await Self.run("lower") == .process)
    }
}
