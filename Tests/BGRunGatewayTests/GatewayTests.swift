// SPDX-License-Identifier: Apache-2.0

import BGRunHTTP
import Foundation
import Glibc
import Testing

@Suite("The gateway and its clients", .timeLimit(.minutes(5)))
struct GatewayTests {
    private static let end = "Host: localhost\r\n\r\n"

    @Test("a request is answered, and the connection ends")
    func answer() async throws {
        try await TestServer.with { server in
            let answer = try Caller.ask(server.port, "GET /a/b HTTP/1.1\r\n" + Self.end)
            #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(answer.hasSuffix("\r\n\r\nGET [\"a\", \"b\"] "))
            #expect(answer.contains("Content-Security-Policy: default-src 'none'"))
            #expect(answer.contains("X-Content-Type-Options: nosniff"))
            #expect(answer.contains("Connection: close"))
        }
    }

    @Test("HEAD returns only the head")
    func head() async throws {
        try await TestServer.with { server in
            let answer = try Caller.ask(server.port, "HEAD /a HTTP/1.1\r\n" + Self.end)
            #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n") && answer.hasSuffix("\r\n\r\n"))
            #expect(answer.contains("\r\nContent-Length: 11\r\n"))
        }
    }

    @Test("a request is the same however it is cut")
    func parts() async throws {
        let text =
            "POST /a%2Fb?x=1+2 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer word\r\n"
            + "Content-Length: 5\r\n\r\n12345"
        try await TestServer.with { server in
            for size in [1, 3, 7, 60, text.utf8.count] {
                let caller = try Caller(port: server.port)
                let bytes = Array(text.utf8)
                for start in stride(from: 0, to: bytes.count, by: size) {
                    let part = bytes[start..<min(start + size, bytes.count)]
                    caller.send(String(decoding: part, as: UTF8.self))
                }
                #expect(caller.rest().hasSuffix("\r\n\r\nPOST [\"a/b\"] 12345"), "\(size)")
            }
        }
    }

    private static let ambiguous = [
        ("GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n", 501),
        ("GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: b\r\n", 400),
        ("GET / HTTP/1.1\r\nContent-Length: +1\r\n", 400),
        ("GET / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n", 413),
        ("GET / HTTP/1.1\r\nContent-Length: 70000\r\n", 413),
        ("GET / HTTP/1.1\r\nX : a\r\n", 400), ("GET / HTTP/1.1\r\nX\r\n", 400),
        ("GET /  HTTP/1.1\r\n", 400), ("GET / HTTP/1.2\r\n", 505),
        ("GET / HTTP/3.0\r\n", 505), ("GET http://a/ HTTP/1.1\r\n", 400),
        ("GET /%2e%2E/x HTTP/1.1\r\n", 400), ("GET /a%00 HTTP/1.1\r\n", 400),
        ("G(T / HTTP/1.1\r\n", 400), ("DELETE / HTTP/1.1\r\n", 405),
        ("GET / HTTP/1.1\r\nA: \(String(repeating: "x", count: 16_384))\r\n", 431),
        ("GET / HTTP/1.1\r\n\((0..<70).map { "A\($0): b\r\n" }.joined())", 431),
    ]

    @Test("an ambiguous request is refused")
    func refused() async throws {
        try await TestServer.with { server in
            for (text, status) in Self.ambiguous {
                let answer = try Caller.ask(server.port, text + Self.end)
                #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(text.prefix(60)): \(answer)")
            }
        }
    }

    @Test("a head of exactly the maximum length is read")
    func longest() async throws {
        let start = "GET /a HTTP/1.1\r\nA: "
        let rest = "\r\n" + Self.end
        let count = HTTPLimits().head - start.utf8.count - rest.utf8.count
        try await TestServer.with { server in
            for (extra, status) in [(0, 200), (1, 431)] {
                let text = start + String(repeating: "x", count: count + extra) + rest
                let answer = try Caller.ask(server.port, text)
                #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
            }
        }
    }

    @Test("a request without a Host header and an invalid request are refused; both end")
    func nothing() async throws {
        try await TestServer.with { server in
            let nameless = try Caller.ask(server.port, "GET / HTTP/1.1\r\n\r\n")
            #expect(nameless.hasPrefix("HTTP/1.1 400 "))
            #expect(!(try Caller.ask(server.port, "GET\r\n\r\n")).contains("200 OK"))
        }
    }

    @Test("bytes after a request are not another request")
    func followed() async throws {
        try await TestServer.with { server in
            let request = "GET /a HTTP/1.1\r\n" + Self.end
            let answer = try Caller.ask(server.port, request + request)
            #expect(answer.components(separatedBy: "HTTP/1.1 ").count == 2, "\(answer)")
        }
    }

    @Test("a request that does not end is refused when it is too long, and the answer arrives")
    func endless() async throws {
        try await TestServer.with { server in
            let caller = try Caller(port: server.port)
            caller.send("GET / HTTP/1.1\r\nX: " + String(repeating: "x", count: 300_000))
            let (answer, isClean) = caller.end()
            #expect(answer.hasPrefix("HTTP/1.1 431 ") && isClean)
        }
    }

    @Test("a header value cannot begin another header")
    func splitting() async throws {
        let handler: TestServer.Handler = { _ in HTTPResponse(seeOther: "/x\r\nSet-Cookie: a=b") }
        try await TestServer.with(handler: handler) { server in
            let answer = try Caller.ask(server.port, "GET /a HTTP/1.1\r\n" + Self.end)
            #expect(answer.hasPrefix("HTTP/1.1 303 ") && !answer.contains("Set-Cookie"))
        }
    }

    @Test("a large answer arrives as a whole")
    func large() async throws {
        try await TestServer.with { server in
            let answer = try Caller.ask(server.port, "GET /big HTTP/1.1\r\n" + Self.end)
            #expect(answer.utf8.count > 32 << 20)
            #expect(answer.hasSuffix("xxx"))
        }
    }

    // MARK: tokens

    @Test(
        "a request with a refused head is answered before its body arrives, without the server")
    func unread() async throws {
        let handler: TestServer.Handler = { request in
            request.method == "POST" ? TestServer.telling(request) : nil
        }
        try await TestServer.with(handler: handler) { server in
            let head = "POST /a HTTP/1.1\r\nContent-Length: 60000\r\n"
            let answer = try Caller.ask(server.port, head + Self.end)
            #expect(answer.hasPrefix("HTTP/1.1 401 "), "\(answer)")
            #expect(answer.hasSuffix("\r\n\r\nthe token is needed\n"), "\(answer)")
            let page = try Caller.ask(server.port, head + "Accept: text/html\r\n" + Self.end)
            #expect(page.hasSuffix("\r\n\r\nPOST [\"a\"] "), "the server makes pages: \(page)")
            let friend = try Caller.ask(
                server.port,
                "POST /a HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer word\r\n"
                    + "Content-Length: 2\r\n\r\nab")
            #expect(friend.hasSuffix("\r\n\r\nPOST [\"a\"] ab"))
        }
    }

    @Test("a refused client receives its answer even if it continues to send")
    func refusedEarly() async throws {
        try await TestServer.with { server in
            let caller = try Caller(port: server.port)
            caller.send("POST /a HTTP/1.1\r\nContent-Length: 60000\r\n" + Self.end)
            _ = Caller.answered(of: [caller])
            caller.send(String(repeating: "x", count: 60_000))
            let (answer, isClean) = caller.end()
            #expect(answer.hasPrefix("HTTP/1.1 401 "), "\(answer)")
            #expect(answer.hasSuffix("\r\n\r\nthe token is needed\n"), "\(answer)")
            #expect(isClean)
        }
    }

    @Test("a bearer token is required everywhere, and a refusal has the id of its request")
    func bearer() async throws {
        let id = "EC1BF194-B3B2-424A-89A9-5A918A6E6B5D"
        try await TestServer.with({
            $0.admission = .bearer(BearerGate(token: "word", status: 403, reason: "Wrong"))
        }) { server in
            for token in ["bearer wor", "bearer wordy", "basic word", ""] {
                let answer = try Caller.ask(
                    server.port,
                    "POST /a HTTP/1.1\r\nAuthorization: \(token)\r\napns-id: \(id)\r\n"
                        + "Content-Length: 60000\r\n" + Self.end)
                #expect(answer.hasPrefix("HTTP/1.1 403 "), "\(answer)")
                #expect(answer.hasSuffix("{\"reason\":\"Wrong\"}"), "\(answer)")
                #expect(answer.contains("apns-id: \(id)\r\n"), "\(answer)")
            }
            let friend = try Caller.ask(
                server.port, "GET /a HTTP/1.1\r\nAuthorization: bearer word\r\n" + Self.end)
            #expect(friend.hasPrefix("HTTP/1.1 200 "))
        }
    }

    // MARK: time and memory

    @Test("a slow client receives an error while others are answered")
    func slow() async throws {
        try await TestServer.with({ $0.requestLimit = 2_000_000_000 }) { server in
            let slow = try ["GET / HT", "GET / HTTP/1.1\r\n", ""].map { text in
                let caller = try Caller(port: server.port)
                caller.send(text)
                return caller
            }
            #expect(TestServer.settings.pauseLimit > 2_000_000_000)
            let quick = try Caller.ask(server.port, "GET /q HTTP/1.1\r\n" + Self.end)
            #expect(quick.hasSuffix("GET [\"q\"] "))
            for caller in slow { #expect(caller.rest(within: 60).hasPrefix("HTTP/1.1 408 ")) }
        }
    }

    @Test(
        "head, body and pauses have time limits",
        arguments: [(200_000_000, 600_000_000_000), (600_000_000_000, 200_000_000)])
    func pausing(request: Int64, pause: Int64) async throws {
        try await TestServer.with({
            ($0.requestLimit, $0.pauseLimit) = (request, pause)
        }) { server in
            let head = "POST /a HTTP/1.1\r\nAuthorization: Bearer word\r\nContent-Length: 9\r\n"
            for text in [head, head + Self.end + "12"] {
                let slow = try Caller(port: server.port)
                slow.send(text)
                #expect(slow.rest(within: 60).hasPrefix("HTTP/1.1 408 "))
            }
        }
    }

    @Test("a request that the server does not answer is refused")
    func unanswered() async throws {
        try await TestServer.with({ $0.answerLimit = 100_000_000 }) { server in
            let answer = try Caller.ask(server.port, "GET /silent HTTP/1.1\r\n" + Self.end)
            #expect(answer.hasPrefix("HTTP/1.1 503 "))
            #expect(answer.hasSuffix("the server does not answer\n"))
        }
    }

    @Test("clients above the limit are refused until one disconnects")
    func many() async throws {
        try await TestServer.with({ $0.connections = 3 }) { server in
            var callers = try (0..<3).map { _ in try Caller(port: server.port) }
            #expect(try Caller(port: server.port).rest().hasPrefix("HTTP/1.1 503 "))
            callers.removeAll()
            // The server sees the closed connections a little later.
            try Caller.askUntilAccepted(server.port)
        }
    }

    @Test("an address has a limited share of connections, even if others are free")
    func oneAddress() async throws {
        try await TestServer.with({
            $0.connections = 3
            $0.connectionsOfOneAddress = 2
        }) { server in
            let callers = try (0..<2).map { _ in try Caller(port: server.port) }
            #expect(try Caller(port: server.port).rest().hasPrefix("HTTP/1.1 503 "))
            withExtendedLifetime(callers) {}
        }
    }

    @Test("a client that does not read its answer is disconnected and frees its slot")
    func deaf() async throws {
        try await TestServer.with({
            $0.connections = 1
            $0.takingLimit = 100_000_000
        }) { server in
            let deaf = try Caller(port: server.port)
            deaf.send("GET /big HTTP/1.1\r\n" + Self.end)
            try Caller.askUntilAccepted(server.port)
            #expect(deaf.rest().utf8.count < 32 << 20)
        }
    }

    @Test("a refused client that stays connected frees its slot")
    func lingering() async throws {
        try await TestServer.with({
            $0.connections = 1
            $0.drainLimit = 100_000_000
        }) { server in
            let refused = try Caller(port: server.port)
            refused.send("POST /a HTTP/1.1\r\nContent-Length: 60000\r\n" + Self.end)
            _ = Caller.answered(of: [refused])
            try Caller.askUntilAccepted(server.port)
            withExtendedLifetime(refused) {}
        }
    }

    @Test("a client that is answered and stays connected frees its slot")
    func answeredClient() async throws {
        try await TestServer.with({ $0.connections = 1 }) { server in
            for _ in 0..<5 {
                let answered = try Caller(port: server.port)
                answered.send("GET / HTTP/1.1\r\n" + Self.end)
                #expect(answered.rest().hasPrefix("HTTP/1.1 200 "))
                let other = try Caller.ask(server.port, "GET / HTTP/1.1\r\n" + Self.end)
                #expect(other.hasPrefix("HTTP/1.1 200 "))
                withExtendedLifetime(answered) {}
            }
        }
    }
}
