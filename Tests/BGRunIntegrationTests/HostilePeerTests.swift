// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

@Suite("A hostile peer", .timeLimit(.minutes(5)))
struct HostilePeerTests {
    private static let seed = UInt64.random(in: .min ... .max)

    /// Requests that a command sends, and requests that no command sends.
    private static let requests = [
        #"{"command":"submit","identifier":"org.test.a","parameters":"{\"a\":1}","delay":5}"#,
        #"{"command":"trigger","identifier":"org.test.a"}"#,
        #"{"command":"expire","identifier":"org.test.a","reason":"time"}"#,
        #"{"command":"pending","limit":-1}"#, #"{"command":"pending","limit":9223372036854775807}"#,
        #"{"command":"explain","identifier":"org.test.a","delay":9223372036854775807}"#,
        #"{"command":"explain","identifier":"org.test.a","at":-9223372036854775808}"#,
        #"{"command":"submit","identifier":"org.test.a","delay":-9223372036854775808}"#,
        #"{"command":"transfers","limit":-5}"#, #"{"command":"refresh","refresh":"nonsense"}"#,
        #"{"command":"running"}"#, #"{"command":"watch"}"#, #"{"command":"manifest"}"#,
        #"{"command":"push","identifier":"org.test.changed","push":{"payload":"{}","priority":5}}"#,
        #"{"command":1}"#, #"{}"#, #"[]"#, #"null"#, "", "\u{0}", #"{"command":"#,
        #"{"command":"submit","identifier":"org.test.a","delay":1e400}"#,
    ]
    private static let deep =
        #"{"command":"submit","identifier":"org.test.a","parameters":""#
        + String(repeating: "[", count: 200_000) + #""}"#

    @Test("that sends invalid requests to the control socket is answered; the host continues")
    func control() async throws {
        try await withHost { box, host in
            var random = Changes(state: Self.seed)
            var lines = Self.requests + [Self.deep]
            for _ in 0..<300 { lines.append(random.changed(Self.requests)) }
            for line in lines {
                Self.say(Array(line.utf8) + [10], to: box.state + "/org.test.app/control.sock")
            }
            // Only empty lines.
            Self.say(
                [UInt8](repeating: 10, count: 50_000), to: box.state + "/org.test.app/control.sock")
            let status = try await box.run("submit", "org.test.b")
            #expect(status.code == 0, "seed \(Self.seed): \(status.error)")
            try await host.line("Starting task with identifier org.test.b")
        }
    }

    @Test("that sends the push socket an invalid push receives an error; the host continues")
    func push() async throws {
        try await withHost { box, host in
            var random = Changes(state: Self.seed)
            let envelopes = [
                PushSourceTests.envelope(1), PushSourceTests.envelope(2, collapseID: "c"),
                #"{"identifier":"org.test.changed","expires":"9223372036854775807d","payload":{}}"#,
                #"{"identifier":"org.test.changed","priority":1e300,"payload":{"aps":7}}"#,
            ]
            var lines = envelopes
            for _ in 0..<300 { lines.append(random.changed(envelopes)) }
            lines.append(String(repeating: "x", count: 100_000))
            for line in lines {
                Self.say(Array(line.utf8) + [10], to: box.directory + "/push.sock")
            }
            let offer = try await box.run(
                "push", "org.test.changed", "--payload", #"{"last":1}"#)
            #expect(offer.code == 0, "seed \(Self.seed): \(offer.error)")
            try await host.line(#""last":1"#)
        }
    }

    @Test("that sends part of a line, or nothing, does not block other clients")
    func silence() async throws {
        try await withHost { box, _ in
            let path = box.state + "/org.test.app/control.sock"
            let callers = (0..<40).map { _ in Self.connected(to: path) }
            defer { for caller in callers { close(caller) } }
            for caller in callers.prefix(20) { _ = write(caller, "{\"comm", 7) }
            let submit = try await box.run("submit", "org.test.b")
            #expect(submit.code == 0, "\(submit.error)")
        }
    }

    @Test("that keeps all connections open is named by `doctor`")
    func connections() async throws {
        try await withHost { box, _ in
            let peer = try box.startProgram(
                "/usr/bin/python3",
                [
                    "-c",
                    """
                    import resource, signal, socket, sys
                    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
                    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
                    callers = [socket.socket(socket.AF_UNIX) for _ in range(257)]
                    for caller in callers: caller.connect(sys.argv[1])
                    print(callers[-1].recv(4096).decode(), file=sys.stderr, flush=True)
                    signal.pause()
                    """, box.state + "/org.test.app/control.sock",
                ])
            let refusal = "the host accepts no more connections now; end programs"
            try await peer.line(refusal)
            #expect(try await box.run("doctor").output.contains(refusal))
            await peer.stop(SIGKILL)
            #expect(!(try await box.run("doctor").output.contains(refusal)))
        }
    }

    private func withHost(_ body: (Sandbox, Running) async throws -> Void) async throws {
        try await Sandbox.withProbe(
            """
            org.test.a: {kind: processing, submit: manual, handler: probe.who}
            org.test.b: {kind: processing, submit: manual, handler: probe.who}
            \(PushTests.task)
            """, rest: "policy: {profile: server}\npush: {socket: ./push.sock}"
        ) { box in
            let host = try await box.host("--stay", until: "Pushes come from the socket")
            try await body(box, host)
            // 1: an attempt that the last request had launched was still running.
            let code = await host.stop().code
            #expect(code == 0 || code == 1)
            await box.expectNothingLeft()
        }
    }

    // MARK: sockets

    /// Sends all bytes, and waits until the peer has closed the connection.
    private static func say(_ bytes: [UInt8], to path: String) {
        let caller = connected(to: path)
        defer { close(caller) }
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                send(caller, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            sent += count
        }
        shutdown(caller, Int32(SHUT_WR))
        var answer = [UInt8](repeating: 0, count: 65_536)
        while read(caller, &answer, answer.count) > 0 {}
    }

    static func connected(to path: String) -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        _ = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        return descriptor
    }
}

/// The same seed makes the same changes.
struct Changes: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ (state >> 33)
    }

    /// One of `texts` with up to four characters changed, doubled or removed.
    mutating func changed(_ texts: [String]) -> String {
        var bytes = Array((texts.randomElement(using: &self) ?? "").utf8)
        for _ in 0..<Int.random(in: 1...4, using: &self) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &self)
            switch Int.random(in: 0..<3, using: &self) {
            case 0: bytes[place] = UInt8.random(in: 32...126, using: &self)
            case 1: bytes.insert(bytes[place], at: place)
            default: bytes.remove(at: place)
            }
        }
        bytes.removeAll { $0 == 10 }
        return String(decoding: bytes, as: UTF8.self)
    }
}
