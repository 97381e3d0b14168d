// SPDX-License-Identifier: Apache-2.0

public import BGRunCore
import BGRunLoop
import Foundation
import Glibc

/// Asks a running host, and waits for its answer.
public struct ControlClient {
    private let path: String
    private let patience: Interval

    /// `path` is the socket in the state directory; `patience` is how long a host that does not
    /// read or answer, because it is stopped, is waited for.
    public init(path: String, patience: Interval) {
        self.path = path
        self.patience = patience
    }

    /// Blocks until the host has answered. Throws when no host listens or it ends meanwhile.
    public func ask(_ request: ControlRequest) throws -> ControlResponse {
        let descriptor = try SystemFailure.check("socket", SocketName.stream(AF_UNIX))
        defer { close(descriptor) }
        var limit = timeval(tv_sec: Int(patience.nanoseconds / 1_000_000_000), tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(
                descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        let connected = SocketName.with(path: path) { connect(descriptor, $0, $1) }
        try SystemFailure.check("connect \(path)", connected)
        let line = try JSONEncoder().encode(request) + [UInt8(ascii: "\n")]
        try Self.write(line, to: descriptor)
        return try JSONDecoder().decode(ControlResponse.self, from: Self.readLine(from: descriptor))
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

    private static func readLine(from descriptor: Int32) throws(SystemFailure) -> Data {
        var line = Data()
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw SystemFailure("reading from the host", code: ECONNRESET) }
            line.append(contentsOf: chunk[..<count])
            if line.last == UInt8(ascii: "\n") { return line }
        }
    }
}
