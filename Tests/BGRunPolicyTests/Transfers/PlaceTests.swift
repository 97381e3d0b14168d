// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@Suite("Connections of transfers to servers", .timeLimit(.minutes(10)))
struct PlaceTests {
    @Test(
        "a URL has scheme, host and port",
        arguments: [
            ("http://a/x", false, "a", 80), ("https://A.b:8443", true, "a.b", 8_443),
            ("HTTPS://u:p@a?q", true, "a", 443), ("http://[::1]:81/x", false, "::1", 81),
            ("http://[::1]/", false, "::1", 80), ("http://a:/", false, "a", 80),
            ("http://u@b@a/", false, "a", 80),
        ] as [(String, Bool, String, UInt16)])
    func address(_ url: String, _ isSecure: Bool, _ host: String, _ port: UInt16) throws {
        let address = try #require(WebAddress(url))
        #expect(address.isSecure == isSecure && address.host == host && address.port == port)
    }

    @Test(
        "URLs of other schemes are refused",
        arguments: [
            "", "a", "ftp://a/", "file:///etc/passwd", "http:/a", "http://", "http://:80/",
            "http://a:0/", "http://a:99999/", "http://[::1", "javascript:alert(1)",
        ])
    func none(_ url: String) {
        #expect(WebAddress(url) == nil)
    }

    @Test("free connections are given in order, and a busy server delays no other")
    func admission() {
        let candidates = [(1, "a"), (2, "a"), (3, "a"), (4, "b"), (5, "c")].map {
            ConnectionRule.Candidate(id: $0.0, host: $0.1)
        }
        let policy = TransferPolicy(parallel: 4, connections: 2)
        let outcome = ConnectionRule.admit(candidates, running: ["b": 1], policy: policy)
        #expect(outcome.admitted == [1, 2, 4])
        #expect(
            outcome.waiting == [3: .connections(host: "a", limit: 2), 5: .parallel(4)])
    }

    @Test("a transfer's own limit counts for it instead of the policy's")
    func ownLimit() {
        let candidates = [
            ConnectionRule.Candidate(id: 1, host: "a", limit: 1),
            ConnectionRule.Candidate(id: 2, host: "a", limit: 3),
        ]
        let policy = TransferPolicy(parallel: 10, connections: 1)
        let outcome = ConnectionRule.admit(candidates, running: ["a": 1], policy: policy)
        #expect(outcome.admitted == [2])
    }

    @Test("the limits hold for any requests, and each is admitted or refused with a reason")
    func limits() {
        for _ in 0..<500 {
            let policy = TransferPolicy(
                parallel: .random(in: 1...20), connections: .random(in: 1...5))
            let candidates = (0..<Int.random(in: 0...60)).map {
                ConnectionRule.Candidate(
                    id: Int64($0), host: "abcd".randomElement().map(String.init) ?? "")
            }
            let outcome = ConnectionRule.admit(candidates, running: [:], policy: policy)
            #expect(outcome.admitted.count <= policy.parallel)
            let hosts = Dictionary(
                grouping: candidates.filter { outcome.admitted.contains($0.id) }, by: \.host)
            #expect(hosts.values.allSatisfy { $0.count <= policy.connections })
            #expect(outcome.admitted.count + outcome.waiting.count == candidates.count)
        }
    }

    @Test("a hundredth of a file system is reserved, at most 64 MiB")
    func space() {
        #expect(SpaceRule.hasSpace(for: 99, free: 100, capacity: 100))
        #expect(!SpaceRule.hasSpace(for: 100, free: 100, capacity: 100))
        #expect(!SpaceRule.hasSpace(for: nil, free: 1, capacity: 100))
        #expect(SpaceRule.hasSpace(for: 1 << 20, free: 65 << 20, capacity: 1 << 50))
        #expect(!SpaceRule.hasSpace(for: (1 << 20) + 1, free: 65 << 20, capacity: 1 << 50))
    }
}

@Suite("Redirections", .timeLimit(.minutes(10)))
struct RedirectRuleTests {
    private static func verdict(
        _ target: String, from visited: [String], status: Int = 302, isUpload: Bool = false
    ) -> RedirectRule.Decision {
        RedirectRule.verdict(to: target, visited: visited, status: status, isUpload: isUpload)
    }

    private static func failure(_ verdict: RedirectRule.Decision) -> TransferFailure? {
        if case .refuse(let failure, _) = verdict { failure } else { nil }
    }

    @Test(
        "secrets are sent only to the same scheme, host and port",
        arguments: [
            ("http://a/y", true), ("http://A:80/y", true), ("http://b/y", false),
            ("http://a:81/y", false), ("https://a/y", false), ("http://a.b/y", false),
            ("http://a@b/y", false),
        ])
    func secrets(_ target: String, _ keeps: Bool) {
        #expect(
            Self.verdict(target, from: ["http://a/x"])
                == .follow(keepsMethod: true, keepsSecrets: keeps))
    }

    @Test("secrets are sent again when a redirection returns to the first server")
    func back() {
        #expect(
            Self.verdict("http://a/z", from: ["http://a/x", "http://b/y"])
                == .follow(keepsMethod: true, keepsSecrets: true))
    }

    @Test("a redirection to another scheme, or from https to http, is refused")
    func schemes() {
        for target in ["ftp://a/", "file:///etc/passwd", "", "gopher://a/"] {
            #expect(Self.failure(Self.verdict(target, from: ["http://a/x"])) == .badAnswer)
        }
        let down = Self.verdict("http://a/x", from: ["https://a/x"])
        #expect(Self.failure(down) == .untrustedServer)
    }

    @Test("the number of redirections is limited, also in a circle")
    func loops() {
        let circle = Self.verdict("http://a/x", from: ["http://a/x", "http://a/y"])
        #expect(Self.failure(circle) == .tooManyRedirects)
        let way = (0...RedirectRule.limit).map { "http://a/\($0)" }
        #expect(Self.failure(Self.verdict("http://a/z", from: way)) == .tooManyRedirects)
        #expect(Self.failure(Self.verdict("http://a/z", from: way.dropLast())) == nil)
    }

    @Test("303 after an upload leads to a GET, others to another upload")
    func uploads() {
        for status in [301, 302, 307, 308] {
            #expect(
                Self.verdict("http://a/y", from: ["http://a/x"], status: status, isUpload: true)
                    == .follow(keepsMethod: true, keepsSecrets: true))
        }
        #expect(
            Self.verdict("http://a/y", from: ["http://a/x"], status: 303, isUpload: true)
                == .follow(keepsMethod: false, keepsSecrets: true))
    }
}
