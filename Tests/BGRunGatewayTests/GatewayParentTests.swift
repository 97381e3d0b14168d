// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunHTTP
import BGRunSystem
import Foundation
import Glibc
import Testing

@Suite("A server and its gateway", .timeLimit(.minutes(5)))
struct GatewayParentTests {
    @Test("a gateway that dies is started again, at the same address")
    func restarted() async throws {
        try await TestServer.with { server in
            var processes = server.processes.makeAsyncIterator()
            var notes = server.notes.makeAsyncIterator()
            let first = try #require(await processes.next())
            #expect(await notes.next() == .some(nil))
            kill(first, SIGKILL)
            #expect(await notes.next() == "bgrun-gateway has ended")
            #expect(await processes.next() != first)
            #expect(await notes.next() == .some(nil))
            let answer = try Caller.ask(
                server.port, "GET /a HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(answer.hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test("an answer to a request of a dead gateway reaches no client of the next one")
    func late() async throws {
        let loop = try EventLoop()
        var waiting: [String: HTTPGateway.Answerer] = [:]
        var started: [pid_t] = []
        let callers = Callers()
        let address = try #require(ListenAddress("127.0.0.1:0"))
        var gateway: HTTPGateway?
        gateway = try HTTPGateway(
            loop, address, TestServer.settings, executable: TestServer.executable,
            started: { started.append($0) },
            note: { problem in
                guard problem == nil, let port = gateway?.port else { return }
                callers.send("GET /\(started.count) HTTP/1.1\r\nHost: a\r\n\r\n", port)
            },
            handler: { request, answer in
                waiting[request.path[0]] = answer
                guard let first = waiting["1"] else { return }
                guard let second = waiting["2"] else {
                    kill(started[0], SIGKILL)
                    return
                }
                // The first request of each process has the same number.
                first(HTTPResponse(type: "text/plain", "late"))
                second(HTTPResponse(type: "text/plain", "own"))
                loop.inNextRound { loop.stop() }
            })
        loop.run()
        #expect(callers.last?.rest(within: 60).hasSuffix("own") == true)
        gateway = nil
        for process in started { waitpid(process, nil, 0) }
    }

    @Test("an address is free when its server has ended, although its gateway still lives")
    func free() throws {
        let loop = try EventLoop()
        var started: [pid_t] = []
        defer {
            for process in started {
                kill(process, SIGKILL)
                waitpid(process, nil, 0)
            }
        }
        var text = "127.0.0.1:0"
        for _ in 0..<2 {
            let address = try #require(ListenAddress(text))
            let gateway = try HTTPGateway(
                loop, address, TestServer.settings, executable: TestServer.executable,
                started: {
                    started.append($0)
                    kill($0, SIGSTOP)
                }, note: { _ in }, handler: { _, _ in })
            text = "127.0.0.1:\(gateway.port)"
        }
        #expect(started.count == 2)
    }

    private final class Callers {
        var last: Caller?

        func send(_ text: String, _ port: UInt16) {
            last = try? Caller(port: port)
            last?.send(text)
        }
    }

    /// Runs a program, and returns why it was lost.
    private static func run(
        _ executable: String, _ arguments: [String] = [], saying lines: [String] = [],
        taken: @escaping (String) -> Bool = { _ in true }
    ) throws -> String? {
        let loop = try EventLoop()
        var ends: [Int32] = [-1, -1]
        socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
        defer { for end in ends { close(end) } }
        var reason: String?
        var program: ChildProgram?
        program = try ChildProgram(
            loop,
            .init(
                executable, arguments: arguments, listener: ends[0], longestLine: 1_024,
                started: nil),
            began: { for line in lines { program?.send(Array("\(line)\n".utf8)) } },
            taken: { taken(String(decoding: $0, as: UTF8.self)) },
            lost: { text, _ in
                reason = text
                loop.stop()
            })
        program?.start()
        loop.run()
        program = nil
        return reason
    }

    @Test("a process without a descriptor is reaped at the next start")
    func reaped() throws {
        let loop = try EventLoop()
        var first: pid_t?
        let program = try ChildProgram(
            loop,
            .init("/bin/sh", arguments: ["-c", "exec cat <&3"], longestLine: 1_024, started: nil),
            open: {
                guard first == nil else { return ProcessHandle($0) }
                first = $0
                errno = EMFILE
                return nil
            },
            began: { loop.stop() },
            taken: { _ in true },
            lost: { _, _ in
                // The process was killed; this waits until it can be reaped, but does not reap it.
                var end = siginfo_t()
                waitid(P_PID, id_t(first ?? 0), &end, WEXITED | WNOWAIT)
            })
        program.start()
        loop.run()
        let process = try #require(first)
        let (reaped, code) = (waitpid(process, nil, WNOHANG), errno)
        #expect(reaped == -1 && code == ECHILD)
        withExtendedLifetime(program) {}
    }

    @Test("a gateway that receives invalid lines ends", arguments: ["no", "{}", "[[[["])
    func garbage(_ line: String) throws {
        #expect(try Self.run(TestServer.executable, saying: [line]) == "bgrun-gateway has ended")
        let settings = String(
            decoding: GatewayLine.encode(TestServer.settings), as: UTF8.self)
        #expect(
            try Self.run(TestServer.executable, saying: [settings, line])
                == "bgrun-gateway has ended")
    }

    @Test("a gateway that sends invalid or too many messages is ended")
    func invalid() throws {
        for text in ["echo no", "head -c 5000 /dev/zero", "printf '%05000d\\n' 1"] {
            let reason = try Self.run(
                "/bin/sh", ["-c", "\(text) >&3; exec cat <&3"], taken: { $0 != "no" })
            #expect(reason == "sh has ended")
        }
        #expect(try Self.run("/nowhere/x")?.hasPrefix("it could not be started: ") == true)
    }

    @Test("at most 64 requests are taken at a time")
    func bounded() async throws {
        try await TestServer.with({
            ($0.connections, $0.connectionsOfOneAddress) = (200, 200)
        }) { server in
            let callers = try (0..<65).map { _ in
                let caller = try Caller(port: server.port)
                caller.send("GET /silent HTTP/1.1\r\nHost: a\r\n\r\n")
                return caller
            }
            // Only the last request is answered, with a refusal.
            let refused = Caller.answered(of: callers)
            #expect(refused.count == 1)
            #expect(refused.first?.rest().hasSuffix("too many requests wait\n") == true)
        }
    }
}
