// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunHTTP
import Foundation
import Glibc
import Testing

@Suite("A server under callers of every sort", .timeLimit(.minutes(1)))
struct ServerTests {
    /// A server on a free port, with a loop of its own.
    private static func with(
        _ timeouts: HTTPServer.Timeouts = HTTPServer.Timeouts(), path: String? = nil,
        admit: @escaping HTTPServer.Admission = { _ in nil },
        _ body: @escaping @Sendable (UInt16) throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            let address = try #require(ListenAddress(path.map { "unix:\($0)" } ?? "127.0.0.1:0"))
            var ends: [Int32] = [0, 0]
            pipe(&ends)
            let (stop, ring) = (ends[0], ends[1])
            let (ports, give) = AsyncStream<UInt16>.makeStream()
            Thread.detachNewThread {
                Self.serve(address, timeouts, admit, until: stop) { give.yield($0) }
                close(stop)
                give.finish()
            }
            var iterator = ports.makeAsyncIterator()
            let port = try #require(await iterator.next())
            group.addTask {
                defer {
                    _ = write(ring, "x", 1)
                    close(ring)
                }
                try body(port)
            }
            try await group.waitForAll()
            // Its address is free again.
            #expect(await iterator.next() == nil)
        }
    }

    /// Serves in this thread until there is something to read from `stop`.
    private static func serve(
        _ address: ListenAddress, _ timeouts: HTTPServer.Timeouts,
        _ admit: @escaping HTTPServer.Admission, until stop: Int32, listening: (UInt16) -> Void
    ) {
        guard let loop = try? EventLoop(),
            let server = try? HTTPServer(
                loop, address, timeouts, admit: admit,
                handler: { request in
                    HTTPResponse(
                        type: "text/plain",
                        request.path == ["big"]
                            ? String(repeating: "x", count: 32 << 20)
                            : "\(request.method) \(request.path)")
                })
        else { return }
        try? loop.watch(stop) { _ in loop.stop() }
        listening(server.port)
        loop.run()
        withExtendedLifetime(server) {}
    }

    @Test("a request is answered, and the connection ends")
    func answer() async throws {
        try await Self.with { port in
            let caller = try Caller(port: port)
            caller.send("GET /a/b HTTP/1.1\r\nHost: localhost\r\n\r\n")
            let answer = caller.rest()
            #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(answer.hasSuffix("\r\n\r\nGET [\"a\", \"b\"]"))
            #expect(answer.contains("Content-Security-Policy: default-src 'none'"))
            #expect(answer.contains("X-Content-Type-Options: nosniff"))
        }
    }

    @Test("HEAD gets the head alone")
    func head() async throws {
        try await Self.with { port in
            let caller = try Caller(port: port)
            caller.send("HEAD /a HTTP/1.1\r\nHost: localhost\r\n\r\n")
            let answer = caller.rest()
            #expect(answer.hasSuffix("Content-Length: 10\r\n\r\n"))
        }
    }

    @Test("a request without end is refused once it is too long, and the answer arrives")
    func endless() async throws {
        try await Self.with { port in
            let caller = try Caller(port: port)
            caller.send("GET / HTTP/1.1\r\nX: " + String(repeating: "x", count: 300_000))
            #expect(caller.rest().hasPrefix("HTTP/1.1 431 "))
        }
    }

    @Test("a client that sends too little for too long receives an error; others are answered")
    func slow() async throws {
        var timeouts = HTTPServer.Timeouts()
        timeouts.request = 3_000_000_000
        try await Self.with(timeouts) { port in
            let slow = try Caller(port: port)
            slow.send("GET / HT")
            let quick = try Caller(port: port)
            quick.send("GET /q HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(quick.rest().hasSuffix("GET [\"q\"]"))
            #expect(slow.rest().hasPrefix("HTTP/1.1 408 "))
        }
    }

    @Test("a request has its time limit, however long a pause in it may be")
    func pausing() async throws {
        var timeouts = HTTPServer.Timeouts()
        timeouts.request = 200_000_000
        timeouts.idle = 600_000_000_000
        try await Self.with(timeouts) { port in
            let slow = try Caller(port: port)
            slow.send("GET / HT")
            #expect(slow.rest(within: 20).hasPrefix("HTTP/1.1 408 "))
        }
    }

    @Test("more callers than there is room for are turned away, until one has gone")
    func many() async throws {
        var timeouts = HTTPServer.Timeouts()
        timeouts.connections = 3
        try await Self.with(timeouts) { port in
            var callers = try (0..<3).map { _ in try Caller(port: port) }
            let fourth = try Caller(port: port)
            #expect(fourth.rest().hasPrefix("HTTP/1.1 503 "))
            callers.removeAll()
            var answer = ""
            // The threads of those who have gone end a little later.
            while !answer.hasPrefix("HTTP/1.1 200 ") {
                let next = try Caller(port: port)
                next.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
                answer = next.rest()
            }
        }
    }

    @Test("so many callers are taken in in a round, then other work of the loop has its turn")
    func turns() throws {
        let loop = try EventLoop()
        let path = "/tmp/bgrun-http-\(UUID().uuidString.prefix(8)).sock"
        let address = try #require(ListenAddress("unix:\(path)"))
        var timeouts = HTTPServer.Timeouts()
        timeouts.connections = 0
        let server = try HTTPServer(loop, address, timeouts) { _ in
            HTTPResponse(type: "text/plain", "")
        }
        // As many as the queue of the socket holds; each is turned away when it is taken in.
        let callers = try (0..<65).map { _ in try Caller(path: path) }
        var turnedAway: [Int] = []
        func look() {
            turnedAway.append(callers.count(where: \.hasAnswer))
            if turnedAway.count == 3 { loop.stop() } else { loop.inNextRound(look) }
        }
        loop.inNextRound(look)
        loop.run()
        #expect(turnedAway[0] > 0 && turnedAway[0] < callers.count, "\(turnedAway)")
        #expect(turnedAway.last == callers.count, "\(turnedAway)")
        withExtendedLifetime(server) {}
    }

    @Test("one address takes no more connections than its share, even if others are free")
    func oneAddress() async throws {
        var timeouts = HTTPServer.Timeouts()
        timeouts.connections = 3
        timeouts.connectionsOfOneAddress = 2
        try await Self.with(timeouts) { port in
            let callers = try (0..<2).map { _ in try Caller(port: port) }
            let third = try Caller(port: port)
            #expect(third.rest().hasPrefix("HTTP/1.1 503 "))
            withExtendedLifetime(callers) {}
        }
    }

    @Test("a request that its head refuses is answered before its body comes")
    func refused() async throws {
        let admit: HTTPServer.Admission = { head in
            head.headers["authorization"] == "Bearer word"
                ? nil : HTTPResponse(401, type: "text/plain", "the token is needed\n")
        }
        try await Self.with(admit: admit) { port in
            let stranger = try Caller(port: port)
            stranger.send("POST /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000\r\n\r\n")
            let answer = stranger.rest()
            #expect(answer.hasPrefix("HTTP/1.1 401 "), "\(answer)")
            #expect(answer.hasSuffix("\r\n\r\nthe token is needed\n"), "\(answer)")
            let friend = try Caller(port: port)
            friend.send(
                "POST /a HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer word\r\n"
                    + "Content-Length: 2\r\n\r\nab")
            #expect(friend.rest().hasSuffix("\r\n\r\nPOST [\"a\"]"))
        }
    }

    @Test("a client that does not read its answer is disconnected, and frees its place")
    func deaf() async throws {
        var timeouts = HTTPServer.Timeouts()
        timeouts.connections = 1
        timeouts.response = 100_000_000
        try await Self.with(timeouts) { port in
            let deaf = try Caller(port: port)
            deaf.send("GET /big HTTP/1.1\r\nHost: localhost\r\n\r\n")
            var answer = ""
            while !answer.hasPrefix("HTTP/1.1 200 ") {
                let next = try Caller(port: port)
                next.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
                answer = next.rest()
            }
            #expect(deaf.rest().utf8.count < 32 << 20)
        }
    }

    @Test("a large answer arrives as a whole")
    func large() async throws {
        try await Self.with { port in
            let caller = try Caller(port: port)
            caller.send("GET /big HTTP/1.1\r\nHost: localhost\r\n\r\n")
            let answer = caller.rest()
            #expect(answer.utf8.count > 32 << 20)
            #expect(answer.hasSuffix("xxx"))
        }
    }

    @Test("a UNIX socket is its user's alone, replaces a dead one, and leaves a file alone")
    func unix() async throws {
        let path = "/tmp/bgrun-http-\(UUID().uuidString.prefix(8)).sock"
        for _ in 0..<2 {
            try await Self.with(path: path) { _ in
                var status = stat()
                #expect(stat(path, &status) == 0)
                #expect(status.st_mode & 0o777 == 0o600)
                let caller = try Caller(path: path)
                caller.send("GET /u HTTP/1.1\r\nHost: any\r\n\r\n")
                #expect(caller.rest().hasSuffix("GET [\"u\"]"))
            }
        }
        #expect(FileManager.default.createFile(atPath: path, contents: Data("mine".utf8)))
        defer { unlink(path) }
        let loop = try EventLoop()
        let address = try #require(ListenAddress("unix:\(path)"))
        #expect(throws: SystemFailure.self) {
            _ = try HTTPServer(loop, address) { _ in HTTPResponse(type: "text/plain", "") }
        }
        #expect(FileManager.default.contents(atPath: path) == Data("mine".utf8))
    }
}

/// A client that says what it is told to, however wrong.
final class Caller: Sendable {
    private let descriptor: Int32

    init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
        try connect(&address, MemoryLayout<sockaddr_in>.size)
    }

    init(path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        try connect(&address, MemoryLayout<sockaddr_un>.size)
    }

    private func connect<Address>(_ address: inout Address, _ size: Int) throws {
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(size))
            }
        }
        guard code == 0 else { throw SystemFailure("connect", code: errno) }
    }

    deinit {
        close(descriptor)
    }

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

    /// Whether something has come that was not read.
    var hasAnswer: Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) > 0
    }

    /// Everything until the other side hangs up, or says nothing for so many seconds.
    func rest(within seconds: Int = 0) -> String {
        var time = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while case let count = recv(descriptor, &chunk, chunk.count, 0), count > 0 {
            bytes += chunk[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
