// SPDX-License-Identifier: Apache-2.0

import BGRunHTTP
import Testing

@Suite("Rights of HTTP clients", .timeLimit(.minutes(10)))
struct GateTests {
    private static func gate(token: String? = "0123456789abcdef", forAll: Bool = false) -> HTTPGate
    {
        HTTPGate(
            hosts: ["localhost", "127.0.0.1", "[::1]"], token: token, isTokenForAll: forAll,
            session: "the-session", formSecret: "the-form")
    }

    private static func request(
        _ method: String = "GET", _ headers: [String: String] = [:], form: String = ""
    ) -> HTTPRequest {
        HTTPRequest(
            method: method, path: ["x"],
            headers: [
                "host": "localhost:8725", "content-type": "application/x-www-form-urlencoded",
            ].merging(headers) { $1 }, body: Array(form.utf8))
    }

    private static func status(_ body: () throws -> Void) -> Int {
        do {
            try body()
            return 200
        } catch {
            return (error as? HTTPRefusal)?.status ?? 0
        }
    }

    @Test(
        "a request for another host name is refused",
        arguments: [
            ("localhost", 200), ("LOCALHOST:99", 200), ("127.0.0.1:1", 200), ("[::1]:8725", 200),
            ("evil.example", 421), ("localhost.evil.example", 421), ("127.0.0.1.evil.example", 421),
            ("", 421),
        ])
    func host(_ name: String, _ status: Int) {
        #expect(
            Self.status { try Self.gate().admit(Self.request("GET", ["host": name])) } == status)
    }

    @Test("a request without a host, or with another method, is refused")
    func method() {
        var nameless = Self.request()
        nameless.headers["host"] = nil
        #expect(Self.status { try Self.gate().admit(nameless) } == 400)
        #expect(Self.status { try Self.gate().admit(Self.request("DELETE")) } == 405)
    }

    @Test(
        "a change requires the token or a form with it",
        arguments: [
            ([:], "", 401), (["authorization": "Bearer 0123456789abcdef"], "", 200),
            (["authorization": "Bearer 0123456789abcdeF"], "", 401),
            (["authorization": "Bearer 0123456789abcde"], "", 401),
            (["authorization": "Bearer "], "", 401), (["authorization": "Basic x"], "", 401),
            (["cookie": "bgrun-session=the-session"], "secret=the-form", 200),
            (["cookie": "bgrun-session=the-session"], "", 403),
            (["cookie": "bgrun-session=the-session"], "secret=another", 403),
            (["cookie": "bgrun-session=guess"], "secret=the-form", 401),
            ([:], "secret=the-form", 401),
            (
                ["cookie": "bgrun-session=the-session", "content-type": "text/plain"],
                "secret=the-form", 403
            ),
        ] as [([String: String], String, Int)])
    func change(_ headers: [String: String], _ form: String, _ status: Int) {
        let request = Self.request("POST", headers, form: form)
        #expect(Self.status { try Self.gate().admit(request) } == 200)
        #expect(Self.status { try Self.gate().admitChange(request) } == status)
    }

    @Test("without a configured token no change is possible")
    func readOnly() {
        let gate = Self.gate(token: nil)
        let request = Self.request(
            "POST", ["authorization": "Bearer ", "cookie": "bgrun-session=the-session"])
        #expect(Self.status { try gate.admit(request) } == 403)
        #expect(Self.status { try gate.admitChange(request) } == 401)
        #expect(!gate.isToken(""))
    }

    @Test(
        "a change from another site is refused",
        arguments: [
            ("origin", "http://localhost:8725", 200), ("origin", "http://localhost:9", 403),
            ("origin", "https://localhost:8725", 200), ("origin", "https://evil.example", 403),
            ("origin", "null", 403),
            ("sec-fetch-site", "cross-site", 403), ("sec-fetch-site", "same-site", 403),
            ("sec-fetch-site", "same-origin", 200),
        ])
    func origin(_ name: String, _ value: String, _ status: Int) {
        #expect(
            Self.status { try Self.gate().admit(Self.request("POST", [name: value])) } == status)
    }

    @Test("reading requires the token if the address is public")
    func forAll() {
        let gate = Self.gate(forAll: true)
        #expect(Self.status { try gate.admit(Self.request()) } == 401)
        let bearer = Self.request("GET", ["authorization": "Bearer 0123456789abcdef"])
        #expect(Self.status { try gate.admit(bearer) } == 200)
        var login = Self.request()
        login.path = ["login"]
        #expect(Self.status { try gate.admit(login) } == 200)
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
