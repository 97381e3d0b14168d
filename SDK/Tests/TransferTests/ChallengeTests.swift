// SPDX-License-Identifier: Apache-2.0

import BGRunURLSession
import BackgroundTasksTesting
import Glibc
import Testing
import UIKit

/// A server that requests a password, in a thread of its own; each answer ends its connection.
private struct GuardedServer {
    let port: UInt16
    private let socket: Int32

    init() throws {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        self.socket = socket
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, size) == 0 && listen(socket, 8) == 0
                    && getsockname(socket, $0, &size) == 0
            }
        }
        try #require(isBound)
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread {
            while true {
                let caller = accept(socket, nil, nil)
                guard caller >= 0 else { return }
                Self.serve(caller)
                close(caller)
            }
        }
    }

    private static func serve(_ caller: Int32) {
        var head = ""
        var bytes = [UInt8](repeating: 0, count: 4_096)
        while !head.contains("\r\n\r\n") {
            let count = read(caller, &bytes, bytes.count)
            guard count > 0 else { return }
            head += String(decoding: bytes.prefix(count), as: UTF8.self)
        }
        // "name:password"
        let isKnown = head.contains("Basic bmFtZTpwYXNzd29yZA==")
        let answer =
            isKnown
            ? "200 OK\r\nContent-Length: 4\r\n"
            : "401 No\r\nWWW-Authenticate: Basic "
                + "realm=\"r\"\r\nContent-Length: 2\r\n"
        let text = "HTTP/1.1 \(answer)Connection: close\r\n\r\n" + (isKnown ? "kept" : "no")
        _ = write(caller, text, text.utf8.count)
    }

    func end() {
        shutdown(socket, Int32(SHUT_RDWR))
        close(socket)
    }
}

@Suite("Passwords in sessions without bgrun", .timeLimit(.minutes(2)))
struct ChallengeTests {
    private let scheduler = Podcasts.scheduler()

    @Test("Apple: the task's delegate is asked, and its credential is used")
    func credential() async throws {
        let server = try GuardedServer()
        defer { server.end() }
        await scheduler.run {
            await scheduler.launchApp(PodcastsDelegate.self)
            let keeper = Keeper(
                URLCredential(user: "name", password: "password", persistence: .none))
            let session = URLSession(
                configuration: .ephemeral, delegate: keeper, delegateQueue: nil)
            let url = URL(string: "http://127.0.0.1:\(server.port)/") ?? Podcasts.url("a")
            session.dataTask(with: url).resume()
            await keeper.wait(for: "completed")
            // Foundation on Linux also reports the first answer.
            #expect(
                keeper.events.suffix(4)
                    == ["who for r of 127.0.0.1, 0", "response 200", "data kept", "completed"])
            session.finishTasksAndInvalidate()
            await keeper.wait(for: "invalid")
        }
    }
}
