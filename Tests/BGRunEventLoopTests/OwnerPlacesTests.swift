// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

@testable import BGRunEventLoop

@Suite("The connections of a socket's owner", .timeLimit(.minutes(5)))
struct OwnerPlacesTests {
    /// A client connection on the loop.
    private final class Caller {
        private let loop: EventLoop
        private let descriptor: Int32

        init(_ loop: EventLoop, _ path: String) throws {
            self.loop = loop
            descriptor = SocketName.stream(AF_UNIX)
            try SystemFailure.check(
                "connect", SocketName.with(path: path) { connect(descriptor, $0, $1) })
        }

        deinit {
            close(descriptor)
        }

        /// The answer to a request `x`.
        func answer() throws -> String {
            _ = send(descriptor, "x\n", 2, Int32(MSG_NOSIGNAL))
            try loop.watch(descriptor) { [unowned self] _ in loop.stop() }
            loop.run()
            loop.forget(descriptor)
            var answer = [UInt8](repeating: 0, count: 8)
            let count = recv(descriptor, &answer, answer.count, 0)
            return String(decoding: answer.prefix(max(0, count)), as: UTF8.self)
        }
    }

    @Test("are not taken by other users")
    func places() throws {
        let loop = try EventLoop()
        let path = NSTemporaryDirectory() + "bgrun-\(UUID().uuidString.prefix(8)).sock"
        var limits = LineLimits()
        limits.connections = 1
        limits.connectionsOfOthers = 2
        limits.connectionsOfOneUser = 2
        var isOwner = false
        let server = try LineServer(
            loop, try UnixListener.open(path), path: path, limits: limits,
            isOwner: { _ in isOwner }, tooLong: { _ in "" }, full: "full"
        ) { line, _, answer in answer(line) }
        let others = try [Caller(loop, path), Caller(loop, path)]
        for other in others { #expect(try other.answer() == "x\n") }
        isOwner = true
        let owner = try Caller(loop, path)
        #expect(try owner.answer() == "x\n")
        #expect(try Caller(loop, path).answer() == "full\n")
        withExtendedLifetime(server) {}
    }
}
