// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

/// A client that reads slowly sees changes in its last page: the host makes that page only when the
/// client can receive it.
@Suite("A host with many pending requests", .timeLimit(.minutes(8)))
struct ManyPendingTests {
    private static let count = 1_000_000

    @Test("answers others while a client and a worker are slow to read a million of them")
    func lists() async throws {
        try await Self.withHost(Self.count) { box, host in
            let page = #"{"command":"pending","limit":500,"from":"#
            // As many pages as a client may request without reading; the last request is for the last page.
            let requests = [Int](repeating: 0, count: 60) + [Self.count - 500]
            let client = try Client(box.state + "/org.test.app/control.sock")
            client.send(requests.map { "\(page)\($0)}\n" }.joined())
            client.waitUntilReadable()
            #expect(try await box.run("cancel", Self.name(Self.count)).code == 0)
            let pages = try client.lines(requests.count)
            #expect(pages.map { $0.count(of: #""identifier""#) }.max() == 500)
            let last = [Self.count - 1, Self.count].map { pages[60].contains(Self.name($0)) }
            #expect(last == [true, false])

            let gate = try box.gate("gate")
            #expect(try await box.run("submit", "org.test.late").code == 0)
            try await host.line("asked")
            #expect(try await box.run("submit", "org.test.lists").code == 0)
            let listed = try await host.line("listed ")
            #expect(
                listed.contains("listed \(Self.count - 1), status 0, in order 1"), "\(listed)")
            #expect(try await box.run("cancel", Self.name(Self.count - 1)).code == 0)
            gate.open()
            let read = try await host.line("read ")
            #expect(read.contains("read \(Self.count - 2)"), "\(read)")
        }
    }

    @Test("sends a handler requests that together are longer than a frame")
    func longRequests() async throws {
        // Each request has the maximum length for a handler.
        let parameters = #"'{"a":"' || printf('%.*c', 1048000, 'x') || '"}'"#
        try await Self.withHost(10, parameters: parameters) { box, host in
            #expect(try await box.run("submit", "org.test.lists").code == 0)
            let listed = try await host.line("listed ")
            #expect(listed.contains("listed 10, status 0, in order 1"), "\(listed)")
        }
    }

    private static func name(_ number: Int) -> String {
        String(format: "org.test.waits.%07d", number)
    }

    /// Runs `body` with `count` requests that are far from due.
    private static func withHost(
        _ count: Int, parameters: String = "NULL",
        _ body: (Sandbox, Running) async throws -> Void
    ) async throws {
        let plugin = try await Built.lister.value
        try await Sandbox.with { box in
            try box.write(
                plugins: ["lister": plugin],
                rest: "policy: {profile: server, concurrent_attempts: 2}",
                tasks: """
                    org.test.lists: {kind: processing, submit: manual, handler: lister.lists}
                    org.test.late: {kind: processing, submit: manual, handler: lister.reads_late}
                    org.test.waits.*: {kind: processing, handler: lister.lists}
                    """)
            let first = try await box.run("run", "--once")
            try #require(first.code == 0, "\(first.error)")
            _ = try HostileStoreTests.rows(
                box.state + "/org.test.app/bgrun.sqlite",
                """
                WITH RECURSIVE number(n) AS
                    (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < \(count))
                INSERT INTO request
                    (identifier, id, kind, submitted, earliest, parameters, failures, interruptions)
                SELECT printf('org.test.waits.%07d', n), n, 'processing', 1, 4102444800000,
                    \(parameters), 0, 0
                FROM number
                """)
            let host = try await box.host("--stay", until: "Background refresh is")
            try await body(box, host)
            await host.stop()
            await box.expectNothingLeft()
        }
    }
}

/// A connection to the control socket of a host.
private struct Client: ~Copyable {
    private let descriptor: Int32

    init(_ path: String) throws {
        descriptor = HostilePeerTests.connected(to: path)
        try #require(descriptor >= 0)
    }

    deinit {
        close(descriptor)
    }

    func send(_ text: String) {
        let bytes = Array(text.utf8)
        #expect(write(descriptor, bytes, bytes.count) == bytes.count)
    }

    func waitUntilReadable() {
        var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        poll(&polled, 1, -1)
    }

    /// Reads `count` answers.
    func lines(_ count: Int) throws -> [String] {
        var bytes: [UInt8] = []
        var ends = 0
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while ends < count {
            let size = read(descriptor, &chunk, chunk.count)
            try #require(size > 0, "the host hung up after \(ends) answers")
            bytes += chunk[..<size]
            ends += chunk[..<size].count { $0 == UInt8(ascii: "\n") }
        }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}

extension String {
    fileprivate func count(of text: String) -> Int {
        components(separatedBy: text).count - 1
    }
}
