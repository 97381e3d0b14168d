// SPDX-License-Identifier: Apache-2.0

import BGRunHTTP
import Testing

@Suite("Heads of requests", .timeLimit(.minutes(10)))
struct HeadTests {
    private typealias Header = (name: String, value: String)

    private static func head(
        _ target: String, _ headers: [(String, String)] = [], method: String = "GET",
        version: String = "HTTP/1.1"
    ) throws -> HTTPRequest {
        let request = try HTTPHead.request(
            method: method, target: target, version: version,
            headers: headers.map { (name: $0.0, value: $0.1) })
        _ = try HTTPHead.bodyLength(of: request)
        return request
    }

    @Test("a request has the decoded components of its path, its query, headers and body")
    func whole() throws {
        var request = try Self.head(
            "/apps/a%2Fb//tasks/%C3%A9?x=1+2&y=%26&x=3",
            [
                ("Host", "localhost:1"), ("Cookie", "a=b; s=1=2"), ("Content-Length", "9"),
                ("Content-Type", "application/x-www-form-urlencoded; charset=utf-8"),
            ], method: "POST")
        request.body = Array("k=v%20w+x".utf8)
        #expect(request.method == "POST")
        #expect(request.path == ["apps", "a/b", "tasks", "é"])
        #expect(request.query == ["x": "1 2", "y": "&"])
        #expect(request.headers["host"] == "localhost:1")
        #expect(try HTTPHead.bodyLength(of: request) == 9)
        #expect(request.form == ["k": "v w x"])
        #expect(request.cookie("s") == "1=2")
        #expect(request.cookie("t") == nil)
    }

    @Test(
        "an ambiguous head is refused",
        arguments: [
            ("/", [("Transfer-Encoding", "chunked")], 501),
            ("/", [("Content-Length", "1"), ("Content-Length", "2")], 400),
            ("/", [("Host", "a"), ("host", "b")], 400),
            ("/", [("Content-Length", "+1")], 400), ("/", [("Content-Length", "-1")], 400),
            ("/", [("Content-Length", "")], 400),
            ("/", [("Content-Length", "99999999999999999999")], 400),
            ("/", [("Content-Length", "70000")], 413), ("/", [(" Host", "a")], 400),
            ("/", [("Host ", "a")], 400), ("/", [("", "a")], 400),
            ("/", [("X", "a\u{0}b")], 400), ("/", [("X", "a\nY: b")], 400),
            ("/", [("Host", "localhost:80@evil.com")], 400),
            ("", [], 400), ("http://a/", [], 400), ("*", [], 400), ("/ a", [], 400),
            ("/../etc/passwd", [], 400), ("/%2e%2E/x", [], 400), ("/a%00", [], 400),
            ("/%zz", [], 400), ("/%ff", [], 400), ("/\u{E9}", [], 400), ("/?a=%zz", [], 400),
            ("/", (0..<70).map { ("A\($0)", "b") }, 431),
        ] as [(String, [(String, String)], Int)])
    func refused(_ target: String, _ headers: [(String, String)], _ status: Int) throws {
        let refusal = #expect(throws: HTTPRefusal.self) { try Self.head(target, headers) }
        #expect(refusal?.status == status, "\(refusal?.reason ?? "")")
    }

    @Test("another version, and a method that is not a word, are refused")
    func line() {
        for (method, version, status) in [
            ("GET", "HTTP/2", 505), ("GET", "HTTP/1.2", 505), ("G(T", "HTTP/1.1", 400),
            ("", "HTTP/1.1", 400),
        ] {
            let refusal = #expect(throws: HTTPRefusal.self) {
                try Self.head("/", method: method, version: version)
            }
            #expect(refusal?.status == status)
        }
        #expect(throws: Never.self) { try Self.head("/", version: "HTTP/1.0") }
    }

    @Test("any target is decoded or refused, and none leaves the root")
    func noise() {
        var random = SystemRandomNumberGenerator()
        let words = ["/", "%2", "%41", "\u{0}", "é", "?", "&", "=", "+", "..", "%2e", "a"]
        for _ in 0..<3_000 {
            let text = (0..<Int.random(in: 0...20, using: &random)).map { _ in
                words[Int.random(in: 0..<words.count, using: &random)]
            }.joined()
            guard let request = try? Self.head(text) else { continue }
            #expect(!request.path.contains(".."), "\(text)")
        }
    }

    @Test(
        "an encoded component of a path is decoded unchanged",
        arguments: ["a/b", "..", "é x+%", "", "."])
    func coding(_ name: String) throws {
        let coded = PercentCoding.encoded(name)
        guard name != "..", name != "." else {
            #expect(throws: HTTPRefusal.self) { try Self.head("/\(coded)") }
            return
        }
        #expect(try Self.head("/\(coded)").path == (name.isEmpty ? [] : [name]))
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
        #expect(((try? Self.head("/", [("Host", text)])) != nil) == isHost)
    }
}

@Suite("Listen addresses", .timeLimit(.minutes(10)))
struct ListenAddressTests {
    @Test(
        "an address is known to be reachable from this machine only",
        arguments: [
            ("127.0.0.1:8725", true), ("127.3.2.1:0", true), ("[::1]:80", true),
            ("localhost:1", true), ("unix:/run/x.sock", true), ("0.0.0.0:80", false),
            ("[::]:80", false), ("192.168.1.2:80", false), ("[fe80::1]:80", false),
        ])
    func local(_ text: String, _ isLocal: Bool) {
        #expect(ListenAddress(text)?.isLocal == isLocal)
    }

    @Test(
        "an invalid address is rejected",
        arguments: ["", "80", "example.org:80", "127.0.0.1", "127.0.0.1:70000", "::1:80", "unix:"])
    func none(_ text: String) {
        #expect(ListenAddress(text) == nil)
    }
}
