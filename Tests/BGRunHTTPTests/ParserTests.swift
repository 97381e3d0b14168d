// SPDX-License-Identifier: Apache-2.0

import BGRunHTTP
import Testing

@Suite("Reading requests", .timeLimit(.minutes(10)))
struct ParserTests {
    private static func parse(_ text: String) throws -> HTTPRequest? {
        try HTTPParser.parse(Array(text.utf8))
    }

    @Test("a request has its path decoded in parts, its query, headers and body")
    func whole() throws {
        let request = try #require(
            try Self.parse(
                "POST /apps/a%2Fb//tasks/%C3%A9?x=1+2&y=%26&x=3 HTTP/1.1\r\nHost: localhost:1\r\n"
                    + "Content-Type: application/x-www-form-urlencoded; charset=utf-8\r\n"
                    + "Cookie: a=b; s=1=2\r\nContent-Length: 9\r\n\r\nk=v%20w+x"))
        #expect(request.method == "POST")
        #expect(request.path == ["apps", "a/b", "tasks", "é"])
        #expect(request.query == ["x": "1 2", "y": "&"])
        #expect(request.headers["host"] == "localhost:1")
        #expect(request.form == ["k": "v w x"])
        #expect(request.cookie("s") == "1=2")
        #expect(request.cookie("t") == nil)
    }

    @Test("what has not come as a whole is waited for, byte for byte")
    func partial() throws {
        let text = "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc"
        for count in 0..<text.utf8.count {
            #expect(try HTTPParser.parse(Array(text.utf8.prefix(count))) == nil)
        }
        #expect(try Self.parse(text)?.body == Array("abc".utf8))
    }

    @Test(
        "what two readers could understand differently is refused",
        arguments: [
            ("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", 501),
            ("GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nContent-Length: +1\r\n\r\na", 400),
            ("GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nContent-Length: 70000\r\n\r\n", 413),
            ("GET / HTTP/1.1\r\n Host: a\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: a\u{0}b\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n", 400),
            ("GET /  HTTP/1.1\r\n\r\n", 400), ("GET / HTTP/2\r\n\r\n", 505),
            ("GET http://a/ HTTP/1.1\r\n\r\n", 400), ("GET * HTTP/1.1\r\n\r\n", 400),
            ("GET /../etc/passwd HTTP/1.1\r\n\r\n", 400), ("GET /%2e%2E/x HTTP/1.1\r\n\r\n", 400),
            ("GET /a%00 HTTP/1.1\r\n\r\n", 400), ("GET /%zz HTTP/1.1\r\n\r\n", 400),
            ("GET /%ff HTTP/1.1\r\n\r\n", 400), ("GET /\u{E9} HTTP/1.1\r\n\r\n", 400),
            ("G(T / HTTP/1.1\r\n\r\n", 400), ("GET / HTTP/1.1\r\n\r\nmore", 400),
            ("\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nA: \(String(repeating: "x", count: 20_000))", 431),
            ("GET / HTTP/1.1\r\n" + String(repeating: "A", count: 17_000) + ": b\r\n\r\n", 431),
            (
                "GET / HTTP/1.1\r\n" + (0..<70).map { "A\($0): b\r\n" }.joined() + "\r\n", 431
            ),
        ])
    func refused(_ text: String, _ status: Int) throws {
        let refusal = #expect(throws: HTTPRefusal.self) { try Self.parse(text) }
        #expect(refusal?.status == status, "\(refusal?.reason ?? "")")
    }

    @Test("any bytes are a request, an error or an incomplete request; none makes the parser fail")
    func noise() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SplitMix(state: seed)
        let words = [
            "GET ", "/", "%2", "%41", " HTTP/1.1", "\r\n", "\r", "\n", ":", " ", "Content-Length: ",
            "9", "\u{0}", "é", "?", "&", "=", "+", "Host", "..", "\r\n\r\n",
        ]
        for _ in 0..<3_000 {
            let text = (0..<Int.random(in: 0...20, using: &random)).map { _ in
                words[Int.random(in: 0..<words.count, using: &random)]
            }.joined()
            guard let request = try? Self.parse(text) else { continue }
            #expect(!request.path.contains(".."), "seed \(seed)")
        }
    }

    @Test(
        "an encoded part of a path is read as it was", arguments: ["a/b", "..", "é x+%", "", "."])
    func coding(_ name: String) throws {
        let coded = PercentCoding.encoded(name)
        guard name != "..", name != "." else {
            #expect(throws: HTTPRefusal.self) { try Self.parse("GET /\(coded) HTTP/1.1\r\n\r\n") }
            return
        }
        let request = try Self.parse("GET /\(coded) HTTP/1.1\r\n\r\n")
        #expect(request?.path == (name.isEmpty ? [] : [name]))
    }

    private struct SplitMix: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = state
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }
    }
}

@Suite("Addresses to listen at", .timeLimit(.minutes(10)))
struct ListenAddressTests {
    @Test(
        "an address says whether only this machine can reach it",
        arguments: [
            ("127.0.0.1:8725", true), ("127.3.2.1:0", true), ("[::1]:80", true),
            ("localhost:1", true), ("unix:/run/x.sock", true), ("0.0.0.0:80", false),
            ("[::]:80", false), ("192.168.1.2:80", false), ("[fe80::1]:80", false),
        ])
    func local(_ text: String, _ isLocal: Bool) {
        #expect(ListenAddress(text)?.isLocal == isLocal)
    }

    @Test(
        "what is no address is none",
        arguments: ["", "80", "example.org:80", "127.0.0.1", "127.0.0.1:70000", "::1:80", "unix:"])
    func none(_ text: String) {
        #expect(ListenAddress(text) == nil)
    }
}
