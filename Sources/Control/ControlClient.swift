// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunManifest
import BGRunPolicy
import CBGRunShims
import FoundationEssentials
import Glibc

/// Sends a request to a running host, and waits for its answer.
package struct ControlClient {
    private let path: String
    private let timeout: Interval

    /// The maximum size of an answer in bytes: the host may belong to another user.
    private static let longestAnswer = 64 << 20

    /// `path` is the socket in the state directory; `timeout` limits the time until the whole
    /// answer has arrived, including time in suspension.
    package init(path: String, timeout: Interval) {
        self.path = path
        self.timeout = timeout
    }

    /// Blocks until the host has answered. Throws if no host listens, if the host ends before it
    /// answers, or on timeout; throws `TooManyConnections` if the host has not read the request.
    package func ask(_ request: ControlRequest) throws -> ControlResponse {
        let line = [UInt8](try JSONEncoder().encode(request)) + [UInt8(ascii: "\n")]
        let response = try JSONDecoder().decode(ControlResponse.self, text: answer(to: line))
        if let problem = response.problem, problem.isTooManyConnections == true {
            throw TooManyConnections(message: problem.message)
        }
        return response
    }

    /// A host does not accept another connection of this user now.
    package struct TooManyConnections: Error {
        package var message: String
    }

    private func answer(to line: [UInt8]) throws(SystemFailure) -> ArraySlice<UInt8> {
        let deadline = bgrun_boottime_ns().saturatingAdding(timeout.nanoseconds)
        let loop = try EventLoop()
        var received: ArraySlice<UInt8>?
        var code = ECONNRESET
        let timer = try LoopTimer(loop) {
            code = ETIMEDOUT
            loop.stop()
        }
        timer.set(elapsed: deadline)
        // A host that accepts no more connections sends the reason without reading the request: the
        // channel reads it although writing fails.
        let channel = try LineChannel(
            loop, connected(), longest: Self.longestAnswer, limit: .max,
            heard: { line in
                received = received ?? line
                loop.stop()
            }, closed: { loop.stop() })
        channel.send(line)
        withExtendedLifetime(timer) { loop.run() }
        if let received { return received }
        throw SystemFailure("reading from the host", code: channel.isOverlong ? EMSGSIZE : code)
    }

    private func connected() throws(SystemFailure) -> Int32 {
        try SocketName.connected(to: path) { descriptor in
            // A stopped host may have no room for another connection.
            let limit = max(1, timeout.nanoseconds / 1_000)
            var time = timeval(tv_sec: Int(limit / 1_000_000), tv_usec: Int(limit % 1_000_000))
            let size = socklen_t(MemoryLayout<timeval>.size)
            setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, size)
        }
    }
}
