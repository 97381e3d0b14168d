// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import BGRunEventLoop

@Suite("The acceptor of connections", .timeLimit(.minutes(5)))
struct AcceptorTests {
    @Test("at most 64 connections are accepted in a round, the others in the next one")
    func rounds() throws {
        let path = "/tmp/bgrun-acceptor-\(UInt64.random(in: 0 ... .max))"
        let listener = try UnixListener.open(path)
        defer {
            close(listener)
            unlink(path)
        }
        // The queue of the socket holds 65 connections.
        let callers = (0..<65).map { _ in SocketName.stream(AF_UNIX) }
        defer { for caller in callers { close(caller) } }
        for caller in callers {
            try #require(caller >= 0 && fcntl(caller, F_SETFL, O_NONBLOCK) == 0)
            try #require(SocketName.with(path: path) { connect(caller, $0, $1) } == 0)
        }
        let acceptor = Acceptor(listener)
        let counts = (0..<3).map { _ in
            var count = 0
            acceptor.round { descriptor in
                count += 1
                close(descriptor)
            }
            return count
        }
        #expect(counts == [64, 1, 0])
    }
}
