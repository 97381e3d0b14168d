// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunEventLoop
import BGRunPolicy
import Foundation
import Glibc
import Testing

@Suite("A host whose answer does not end", .timeLimit(.minutes(5)))
struct HostileHostTests {
    private let path = NSTemporaryDirectory() + "bgrun-\(UUID().uuidString.prefix(8)).sock"

    /// Calls `answer` with the first connection to `path`, in a new thread.
    private func listen(_ answer: @escaping @Sendable (Int32) -> Void) throws {
        let listener = try UnixListener.open(path)
        _ = fcntl(listener, F_SETFL, 0)
        let path = path
        Thread.detachNewThread {
            let caller = accept(listener, nil, nil)
            close(listener)
            unlink(path)
            answer(caller)
            close(caller)
        }
    }

    /// Sends a byte every 20 milliseconds, at most 500; true if the caller closes the connection first.
    private static func drip(to caller: Int32) -> Bool {
        for _ in 0..<500 {
            var polled = pollfd(fd: caller, events: 0, revents: 0)
            guard poll(&polled, 1, 20) == 0, send(caller, "x", 1, Int32(MSG_NOSIGNAL)) == 1
            else { return true }
        }
        return false
    }

    @Test("is disconnected when it has sent small parts for too long")
    func dripping() async throws {
        let (ends, end) = AsyncStream<Bool>.makeStream()
        try listen { end.yield(Self.drip(to: $0)) }
        let client = ControlClient(path: path, timeout: .milliseconds(200))
        #expect(throws: SystemFailure.self) { try client.ask(ControlRequest(.running)) }
        var iterator = ends.makeAsyncIterator()
        #expect(await iterator.next() == true)
    }

    @Test("is refusing the connection if it says so, even if it does not read the request")
    func full() throws {
        try listen { caller in
            let line =
                #"{"problem":{"code":0,"message":"full","isTooManyConnections":true}}"# + "\n"
            _ = send(caller, line, line.utf8.count, Int32(MSG_NOSIGNAL))
        }
        var request = ControlRequest(.submit)
        request.parameters = String(repeating: "x", count: 8 << 20)
        let client = ControlClient(path: path, timeout: .seconds(30))
        let error = #expect(throws: ControlClient.TooManyConnections.self) {
            _ = try client.ask(request)
        }
        #expect(error?.message == "full")
    }

    @Test("is no longer watched when it has sent too much")
    func endless() throws {
        try listen { caller in
            let part = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
            var rest = 17
            while rest > 0, send(caller, part, part.count, Int32(MSG_NOSIGNAL)) == part.count {
                rest -= 1
            }
        }
        let loop = try EventLoop()
        var ends: [String?] = []
        let client = try WatchClient(
            loop, path: path, received: { _ in Issue.record("it understood something") },
            ended: {
                ends.append($0)
                loop.stop()
            })
        loop.run()
        #expect(ends == ["the host sends too much"])
        withExtendedLifetime(client) {}
    }

    @Test("is watched although its state has some megabytes")
    func long() throws {
        var response = ControlResponse()
        var overview = AppOverview(app: "app", at: .epoch)
        overview.notices = [String(repeating: "x", count: 5 << 20)]
        response.overview = overview
        let line = [UInt8](try JSONEncoder().encode(response)) + [UInt8(ascii: "\n")]
        try listen { caller in
            var rest = line[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes {
                    send(caller, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
        }
        let loop = try EventLoop()
        var received: [AppOverview] = []
        let client = try WatchClient(
            loop, path: path,
            received: {
                received.append($0)
                loop.stop()
            }, ended: { _ in loop.stop() })
        loop.run()
        #expect(received.map(\.notices) == [overview.notices])
        withExtendedLifetime(client) {}
    }
}
