// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BGRunHTTP

@Suite("Requests that come in parts", .timeLimit(.minutes(1)))
struct ReaderTests {
    private static let head = "POST /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n"

    @Test("a request is the same however it is cut, and its head is known before its body")
    func parts() throws {
        let bytes = Array((Self.head + "12345").utf8)
        for size in [1, 2, 3, 7, bytes.count] {
            var reader = HTTPReader()
            var whole: HTTPRequest?
            var sawHeadAlone = false
            for start in stride(from: 0, to: bytes.count, by: size) {
                #expect(whole == nil)
                whole = try reader.read(bytes[start..<min(start + size, bytes.count)])
                if whole == nil, reader.headRead != nil { sawHeadAlone = true }
            }
            #expect(whole?.body == Array("12345".utf8))
            #expect(whole?.path == ["a"])
            #expect(sawHeadAlone == (size < bytes.count))
        }
    }

    @Test("each byte of a head is examined once, and none of a body, however small the parts are")
    func cost() throws {
        // A body that would end a head.
        let body = String(repeating: "\r\n\r\n", count: 1_000)
        let head =
            "POST /a HTTP/1.1\r\nX: \(String(repeating: "x", count: 8_000))\r\n"
            + "Content-Length: \(body.utf8.count)\r\n\r\n"
        let bytes = Array((head + body).utf8)
        for size in [1, 2, 3, 5, 4_096, bytes.count] {
            var reader = HTTPReader()
            var whole: HTTPRequest?
            for start in stride(from: 0, to: bytes.count, by: size) {
                whole = try reader.read(bytes[start..<min(start + size, bytes.count)])
            }
            #expect(whole?.body.count == body.utf8.count)
            // The end has four bytes, so the first three cannot end it.
            #expect(reader.examined == head.utf8.count - 3, "parts of \(size)")
        }
    }

    @Test("more than the body, and a head above the limit, are refused as soon as they have come")
    func limits() {
        var reader = HTTPReader()
        #expect(throws: HTTPRefusal.self) { try reader.read(Array((Self.head + "123456").utf8)) }
        var small = HTTPLimits()
        small.head = 64
        var long = HTTPReader(small)
        #expect(throws: HTTPRefusal(431, "the head is longer than 64 bytes")) {
            try long.read(Array("GET /\(String(repeating: "x", count: 65))".utf8))
        }
        var exact = HTTPLimits()
        exact.head = Self.head.utf8.count
        var fits = HTTPReader(exact)
        #expect(throws: Never.self) { try fits.read(Array(Self.head.utf8)) }
        exact.head -= 1
        var tooLong = HTTPReader(exact)
        #expect(throws: HTTPRefusal.self) { try tooLong.read(Array(Self.head.utf8)) }
    }

    @Test(
        "a Host is a name or an address and a port",
        arguments: [
            ("localhost", true), ("localhost:80", true), ("127.0.0.1:65535", true),
            ("[::1]", true), ("[::1]:8725", true), ("a-b_c.example", true),
            ("localhost:80@evil.com", false), ("user@localhost", false), ("", false),
            (":80", false), ("localhost:", true), ("localhost:123456", false),
            ("localhost:8x", false), ("[::1", false), ("[::1]x", false), ("[evil]", false),
            ("a b", false), ("a/b", false), ("[]", true), ("local\u{e9}", false),
        ])
    func host(_ text: String, _ isHost: Bool) {
        #expect(HTTPParser.isHost(text) == isHost)
    }

    @Test("a request under an odd host is refused")
    func oddHost() {
        #expect(throws: HTTPRefusal.self) {
            try HTTPParser.parse(
                Array("GET / HTTP/1.1\r\nHost: localhost:80@evil.com\r\n\r\n".utf8))
        }
    }

    @Test("of one address there are fewer connections than in all, and each is given back")
    func slots() {
        let slots = ConnectionSlots(3, ofOneAddress: 2)
        let (one, other) = (PeerAddress(bytes: [1]), PeerAddress(bytes: [2]))
        #expect([one, one, one].map(slots.take) == [true, true, false])
        #expect([other, other].map(slots.take) == [true, false])
        slots.give(one)
        #expect(slots.take(other))
        slots.give(other)
        slots.give(other)
        slots.give(other)
        #expect([other, other, other].map(slots.take) == [true, true, false])
    }

    @Test("the loopback addresses are one address, and one of IPv4 is itself on a socket of IPv6")
    func addresses() {
        let zeros = [UInt8](repeating: 0, count: 10)
        func mapped(_ address: [UInt8]) -> PeerAddress {
            PeerAddress(internet: zeros + [255, 255] + address)
        }
        let loopback = PeerAddress(internet: [127, 0, 0, 1])
        for other in [
            PeerAddress(internet: [127, 0, 0, 2]), PeerAddress(internet: [127, 255, 0, 9]),
            mapped([127, 0, 0, 3]), PeerAddress(internet: zeros + [0, 0, 0, 0, 0, 1]),
        ] {
            #expect(other == loopback)
        }
        let (one, two) = (mapped([192, 0, 2, 1]), mapped([192, 0, 2, 2]))
        #expect(one == PeerAddress(internet: [192, 0, 2, 1]) && one != two && one != loopback)
        func global(_ network: UInt8, _ host: UInt8) -> PeerAddress {
            let zeros = [UInt8](repeating: 0, count: 7)
            return PeerAddress(internet: [32, 1, 13, 184, 0, 0, 0, network] + zeros + [host])
        }
        #expect(global(1, 1) == global(1, 2) && global(1, 1) != global(2, 1))
        #expect(PeerAddress(internet: zeros + [0, 0, 0, 0, 0, 2]) != loopback)
        #expect(PeerAddress(internet: []) == PeerAddress())
    }

    @Test("a change without a token is refused by its head, but the token itself may be in a form")
    func admission() {
        let gate = HTTPGate(
            hosts: nil, token: "secret", isTokenForAll: false, session: "s", formSecret: "f")
        func request(_ method: String, _ path: [String], _ headers: [String: String]) -> HTTPRequest
        {
            HTTPRequest(method: method, path: path, headers: headers)
        }
        #expect(throws: HTTPRefusal(401, "the token is needed")) {
            try gate.admitBody(request("POST", ["apps"], [:]))
        }
        #expect(throws: Never.self) {
            try gate.admitBody(request("POST", ["login"], [:]))
            try gate.admitBody(request("GET", ["apps"], [:]))
            try gate.admitBody(request("POST", ["apps"], ["authorization": "Bearer secret"]))
            try gate.admitBody(request("POST", ["apps"], ["cookie": "\(HTTPGate.cookie)=s"]))
        }
    }
}
