// SPDX-License-Identifier: Apache-2.0

import Glibc

/// One end of a connection that carries lines, without ever blocking. Buffers unsent bytes, up to a
/// limit; disconnects a peer that is further behind, or sends a longer line. Belongs to the loop's
/// thread.
package final class LineChannel {
    private let loop: EventLoop
    private let descriptor: Int32
    private let heard: (ArraySlice<UInt8>) -> Void
    private let closed: () -> Void
    private let longest: Int
    private let limit: Int
    private var input = LineInput()
    private var output = LineOutput()
    private var isClosed = false
    /// Whether the peer was disconnected because its line was too long.
    package private(set) var isOverlong = false
    /// The peer receives nothing any more.
    private var isDeaf = false

    /// Takes ownership of `descriptor`.
    /// - Parameters:
    ///   - longest: The maximum length of a line of the peer, in bytes.
    ///   - limit: The maximum number of bytes that the peer may be behind.
    ///   - heard: Receives a line without its line feed; empty ones are skipped.
    ///   - closed: The peer has disconnected; not called after `close`.
    package init(
        _ loop: EventLoop, _ descriptor: Int32, longest: Int = 4 << 20, limit: Int = 4 << 20,
        heard: @escaping (ArraySlice<UInt8>) -> Void,
        closed: @escaping () -> Void
    ) throws(SystemFailure) {
        self.loop = loop
        self.descriptor = descriptor
        self.longest = longest
        self.limit = limit
        self.heard = heard
        self.closed = closed
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        do throws(SystemFailure) {
            try loop.watch(descriptor) { [weak self] in self?.serve($0) }
        } catch {
            Glibc.close(descriptor)
            isClosed = true
            throw error
        }
    }

    deinit { close() }

    package func close() {
        guard !isClosed else { return }
        isClosed = true
        loop.forget(descriptor)
        Glibc.close(descriptor)
    }

    /// The number of bytes that are not sent yet.
    package var backlog: Int { output.count }

    /// - Parameter line: Including its line feed.
    package func send(_ line: [UInt8]) {
        guard !isClosed, !isDeaf else { return }
        guard output.count + line.count <= limit else { return hangUp() }
        precondition(line.last == UInt8(ascii: "\n"), "a line without its end is sent")
        output.append(whole: line)
        flush()
    }

    private func serve(_ readiness: EventLoop.Readiness) {
        if readiness.contains(.write) { flush() }
        guard readiness.contains(.read), !isClosed else { return }
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = read(descriptor, &chunk, chunk.count)
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        guard count > 0 else { return hangUp() }
        input.append(chunk[..<count])
        while !isClosed, let line = input.next() {
            guard line.count <= longest else { return refuseLine() }
            heard(line[...])
        }
        if !isClosed, input.count > longest { refuseLine() }
    }

    private func refuseLine() {
        isOverlong = true
        hangUp()
    }

    private func flush() {
        if !output.send(to: descriptor) {
            // The peer may have sent lines before it disconnected: reads them up to the end.
            isDeaf = true
            output.removeAll()
        }
        loop.change(descriptor, to: output.isEmpty ? .read : [.read, .write])
    }

    private func hangUp() {
        close()
        closed()
    }
}
