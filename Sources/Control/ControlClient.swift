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

    /// `path` is the socket in the state directory; `timeout` limits the time of the whole answer.
    package init(path: String, timeout: Interval) {
        self.path = path
        self.timeout = timeout
    }

    /// Blocks until the host has answered. Throws if no host listens, if the host ends before it
    /// answers, or on timeout; throws `TooManyConnections` if the host has not read the request.
    package func ask(_ request: ControlRequest) throws -> ControlResponse {
        let deadline = bgrun_monotonic_ns().saturatingAdding(timeout.nanoseconds)
        let descriptor = try SocketName.connected(to: path) { (descriptor) throws(SystemFailure) in
            try Self.limit(descriptor, until: deadline)
        }
        defer { close(descriptor) }
        let line = try JSONEncoder().encode(request) + [UInt8(ascii: "\n")]
        do throws(SystemFailure) { try Self.write(line, to: descriptor) } catch {
            // A host that accepts no more connections sends the reason without reading the request.
            guard error.code == EPIPE || error.code == ECONNRESET else { throw error }
        }
        let response = try JSONDecoder().decode(
            ControlResponse.self, text: Self.readLine(from: descriptor, until: deadline))
        if let problem = response.problem, problem.isTooManyConnections == true {
            throw TooManyConnections(message: problem.message)
        }
        return response
    }

    /// A host does not accept another connection of this user now.
    package struct TooManyConnections: Error {
        package var message: String
    }

    /// Sets the timeout of the next system call on `descriptor` so that it ends at `deadline`.
    private static func limit(_ descriptor: Int32, until deadline: Int64) throws(SystemFailure) {
        let left = deadline - bgrun_monotonic_ns()
        guard left > 0 else { throw SystemFailure("reading from the host", code: ETIMEDOUT) }
        var time = timeval(
            tv_sec: Int(left / 1_000_000_000), tv_usec: max(1, Int(left % 1_000_000_000 / 1_000)))
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
        }
    }

    private static func write(_ line: Data, to descriptor: Int32) throws(SystemFailure) {
        var rest = [UInt8](line)
        while !rest.isEmpty {
            let count = send(descriptor, rest, rest.count, Int32(MSG_NOSIGNAL))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw SystemFailure("writing to the host", code: errno) }
            rest.removeFirst(count)
        }
    }

    private static func readLine(
        from descriptor: Int32, until deadline: Int64
    ) throws(SystemFailure) -> Data {
        var line = Data()
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while line.count <= longestAnswer {
            try limit(descriptor, until: deadline)
            let count = read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw SystemFailure("reading from the host", code: ECONNRESET) }
            line.append(contentsOf: chunk[..<count])
            if line.last == UInt8(ascii: "\n") { return line }
        }
        throw SystemFailure("reading from the host", code: EMSGSIZE)
    }
}
