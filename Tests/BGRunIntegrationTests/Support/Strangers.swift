// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

/// Clients without a valid token: in turn without one, and with a wrong one and an announced but unsent body.
struct Strangers: Sendable {
    private let port: Int
    private let status: [UInt8]
    private let requests: [[UInt8]]

    /// - Parameters:
    ///   - status: The status of the refusals.
    ///   - request: Returns a request with additional header lines.
    init(port: Int, status: Int, _ request: (String) -> String) {
        self.port = port
        self.status = Array("HTTP/1.1 \(status)".utf8)
        requests = ["", "Authorization: bearer wrong\r\nContent-Length: 60000\r\n"].map {
            Array(request($0 + "\r\n").utf8)
        }
    }

    /// The processor time of `servers` for these clients, divided by the clients' own.
    func ratio(of servers: [pid_t]) async throws -> Double {
        // Other load of the machine slows both; the best of five rounds counts.
        var ratio = Double.infinity
        for _ in 0..<5 where ratio > 2 {
            let before = servers.map(Self.processorTime)
            // It blocks, which is not permitted on the threads of tests.
            let own = await withCheckedContinuation { done in
                Thread.detachNewThread { done.resume(returning: come(1_000)) }
            }
            let spent = zip(before, servers.map(Self.processorTime)).reduce(0) { $0 + $1.1 - $1.0 }
            try #require(own > 0 && spent > 0)
            ratio = min(ratio, Double(spent) / Double(own))
        }
        return ratio
    }

    /// The processor time of `count` clients, in nanoseconds; 0 if one was not refused.
    private func come(_ count: Int) -> Int {
        var chunk = [UInt8](repeating: 0, count: 4_096)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
        let begin = Self.clock(CLOCK_THREAD_CPUTIME_ID)
        for number in 0..<count {
            let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(client) }
            _ = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            let request = requests[number % 2]
            send(client, request, request.count, Int32(MSG_NOSIGNAL))
            var start: [UInt8] = []
            while case let size = recv(client, &chunk, chunk.count, 0), size > 0 {
                if start.isEmpty { start = Array(chunk[..<min(size, status.count)]) }
            }
            guard start == status else { return 0 }
        }
        return Self.clock(CLOCK_THREAD_CPUTIME_ID) - begin
    }

    private static func processorTime(of pid: pid_t) -> Int {
        var clock = clockid_t()
        return clock_getcpuclockid(pid, &clock) == 0 ? Self.clock(clock) : 0
    }

    private static func clock(_ clock: clockid_t) -> Int {
        var time = timespec()
        clock_gettime(clock, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}
