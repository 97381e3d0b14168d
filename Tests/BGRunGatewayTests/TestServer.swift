// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunHTTP
import Foundation
import Glibc
import Testing

/// A server that runs the built `bgrun-gateway`, with a separate loop.
enum TestServer {
    static let executable =
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().path + "/bgrun-gateway"

    /// Anyone may read; changes need the token `word`. The server waits for clients that are slow to send
    /// the rest of a refused request.
    static let settings: GatewaySettings = {
        var settings = defaults
        settings.drainLimit = 600_000_000_000
        return settings
    }()

    static let defaults = GatewaySettings(
        .gate(
            HTTPGate(
                hosts: nil, token: "word", isTokenForAll: false, session: "s", formSecret: "f")))

    typealias Handler = @Sendable (HTTPRequest) -> HTTPResponse?

    /// The default handler: the answer repeats the request, or has 32 MiB; `silent` is not answered.
    static let telling: Handler = { request in
        switch request.path {
        case ["silent"]: nil
        case ["big"]: HTTPResponse(type: "text/plain", String(repeating: "x", count: 32 << 20))
        default:
            HTTPResponse(
                type: "text/plain",
                "\(request.method) \(request.path) \(String(decoding: request.body, as: UTF8.self))"
            )
        }
    }

    struct Running: Sendable {
        var port: UInt16
        /// The IDs of the started processes.
        var processes: AsyncStream<pid_t>
        /// The reasons why clients are not served; nil: they are served again.
        var notes: AsyncStream<String?>
    }

    /// Serves at a free port, or at `path`, while `body` runs on a new thread.
    /// - Parameter change: Changes the settings.
    static func with(
        _ change: (inout GatewaySettings) -> Void = { _ in }, path: String? = nil,
        handler: @escaping Handler = telling,
        _ body: @escaping @Sendable (Running) async throws -> Void
    ) async throws {
        let address = try #require(ListenAddress(path.map { "unix:\($0)" } ?? "127.0.0.1:0"))
        var changed = settings
        change(&changed)
        let (stop, ring) = try ProgramStart.pipe()
        let (servers, give) = AsyncStream<Running>.makeStream()
        let (ended, end) = AsyncStream<Void>.makeStream()
        Thread.detachNewThread { [changed] in
            serve(address, changed, handler, until: stop) { give.yield($0) }
            close(stop)
            give.finish()
            end.finish()
        }
        var iterator = servers.makeAsyncIterator()
        let server = try #require(await iterator.next())
        let result = await Task { try await body(server) }.result
        _ = write(ring, "x", 1)
        close(ring)
        for await _ in ended {}
        try result.get()
    }

    /// Serves in this thread until `stop` is readable.
    private static func serve(
        _ address: ListenAddress, _ settings: GatewaySettings, _ handler: @escaping Handler,
        until stop: Int32, listening: (Running) -> Void
    ) {
        let (processes, process) = AsyncStream<pid_t>.makeStream()
        let (notes, note) = AsyncStream<String?>.makeStream()
        var started: [pid_t] = []
        do {
            let loop = try EventLoop()
            let gateway = try HTTPGateway(
                loop, address, settings, executable: executable,
                started: {
                    started.append($0)
                    process.yield($0)
                }, note: { note.yield($0) },
                handler: { request, answer in
                    if let response = handler(request) { answer(response) }
                })
            try loop.watch(stop) { _ in loop.stop() }
            listening(Running(port: gateway.port, processes: processes, notes: notes))
            loop.run()
            withExtendedLifetime(gateway) {}
        } catch {
            Issue.record(error)
        }
        for process in started {
            var status: Int32 = 0
            waitpid(process, &status, 0)
        }
    }
}

/// A client that sends any bytes, also invalid requests.
final class Caller: Sendable {
    private let descriptor: Int32

    init(port: UInt16) throws {
        descriptor = SocketName.stream(AF_INET)
        let connected = SocketName.with(host: "127.0.0.1", port: port) {
            connect(descriptor, $0, $1)
        }
        try SystemFailure.check("connect", connected)
    }

    init(path: String) throws {
        descriptor = SocketName.stream(AF_UNIX)
        let connected = SocketName.with(path: path) { connect(descriptor, $0, $1) }
        try SystemFailure.check("connect", connected)
    }

    deinit { close(descriptor) }

    func send(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Reads until the server closes the connection, or sends nothing for `seconds` seconds.
    func rest(within seconds: Int = 0) -> String { end(within: seconds).text }

    /// The same, and whether the server closed the connection without a reset.
    func end(within seconds: Int = 0) -> (text: String, isClean: Bool) {
        var time = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        var count = recv(descriptor, &chunk, chunk.count, 0)
        while count > 0 {
            bytes += chunk[..<count]
            count = recv(descriptor, &chunk, chunk.count, 0)
        }
        return (String(decoding: bytes, as: UTF8.self), count == 0)
    }

    /// Waits until a caller has received data, and returns all that have.
    static func answered(of callers: [Caller]) -> [Caller] {
        var states = callers.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
        guard poll(&states, nfds_t(states.count), -1) > 0 else { return [] }
        return zip(callers, states).filter { $0.1.revents != 0 }.map(\.0)
    }

    /// Connects until a request is accepted.
    static func askUntilAccepted(_ port: UInt16) throws {
        var answer = ""
        while !answer.hasPrefix("HTTP/1.1 200 ") {
            answer = try ask(port, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        }
    }

    static func ask(_ port: UInt16, _ text: String) throws -> String {
        let caller = try Caller(port: port)
        caller.send(text)
        return caller.rest()
    }
}
