// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunManifest
import FoundationEssentials
import Glibc

/// Receives the state of an app from its running host after each change. Belongs to the loop's
/// thread.
package final class WatchClient {
    private let loop: EventLoop
    private let descriptor: Int32
    private let received: (AppOverview) -> Void
    private let ended: (String?) -> Void
    private var input: [UInt8] = []
    private var isOver = false
    /// The maximum size of a message in bytes: the host may belong to another user.
    private static let longest = 16 << 20

    /// Connects to the host at `path`, without blocking because the socket is local.
    /// - Parameters:
    ///   - ended: Called once, when the host has disconnected or does not understand the request:
    ///     with its message.
    package init(
        _ loop: EventLoop, path: String, received: @escaping (AppOverview) -> Void,
        ended: @escaping (String?) -> Void
    ) throws {
        self.loop = loop
        self.received = received
        self.ended = ended
        let descriptor = try SystemFailure.check("socket", SocketName.stream(AF_UNIX))
        self.descriptor = descriptor
        // If later code throws, `deinit` runs: every property must be set.
        let connected = SocketName.with(path: path) { connect(descriptor, $0, $1) }
        try SystemFailure.check("connect \(path)", connected)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        let line = try JSONEncoder().encode(ControlRequest(.watch)) + [UInt8(ascii: "\n")]
        let count = line.withUnsafeBytes {
            send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        // A host that accepts no more connections sends the reason without reading the request.
        guard count == line.count || count < 0 && errno == EPIPE else {
            throw SystemFailure("writing to the host", code: errno)
        }
        try loop.watch(descriptor) { [unowned self] _ in read() }
    }

    deinit {
        loop.forget(descriptor)
        close(descriptor)
    }

    private func read() {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN { return takeLines() }
            guard count > 0 else {
                takeLines()
                return end(nil)
            }
            input += chunk[..<count]
            guard input.count <= Self.longest else { return end("the host sends too much") }
        }
    }

    private func takeLines() {
        // Of several overviews, only the newest counts.
        guard let last = input.lastIndex(of: UInt8(ascii: "\n")) else { return }
        let lines = input[..<last].split(separator: UInt8(ascii: "\n"))
        input.removeFirst(last + 1)
        guard let line = lines.last else { return }
        let response = try? JSONDecoder().decode(ControlResponse.self, text: line)
        if let overview = response?.overview {
            received(overview.clamped)
        } else {
            end(
                response?.problem?.message ?? "the host answers what this bgrun does not understand"
            )
        }
    }

    private func end(_ message: String?) {
        guard !isOver else { return }
        isOver = true
        loop.forget(descriptor)
        ended(message)
    }
}
