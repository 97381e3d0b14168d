// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import Glibc

/// One end of a connection that carries lines, without ever blocking. What the other side does not
/// take is kept, up to a limit; a peer that is further behind is disconnected.
///
/// Belongs to the loop's thread.
package final class LineChannel {
    private let loop: EventLoop
    private let descriptor: Int32
    private let heard: (ArraySlice<UInt8>) -> Void
    private let closed: () -> Void
    private var input: [UInt8] = []
    private var output: [UInt8] = []
    private var isClosed = false
    /// The other side takes nothing any more.
    private var isDeaf = false

    private static let limit = 4 << 20

    /// Takes over `descriptor`.
    /// - Parameters:
    ///   - heard: A line without its line feed.
    ///   - closed: The other side is gone; not called after `close`.
    package init(
        _ loop: EventLoop, _ descriptor: Int32, heard: @escaping (ArraySlice<UInt8>) -> Void,
        closed: @escaping () -> Void
    ) throws(SystemFailure) {
        self.loop = loop
        self.descriptor = descriptor
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

    deinit {
        close()
    }

    package func close() {
        guard !isClosed else { return }
        isClosed = true
        loop.forget(descriptor)
        Glibc.close(descriptor)
    }

    /// How many bytes the other side has not taken yet.
    package var backlog: Int { output.count }

    package func send(_ line: [UInt8]) {
        guard !isClosed, !isDeaf else { return }
        guard output.count + line.count <= Self.limit else { return hangUp() }
        precondition(line.last == UInt8(ascii: "\n"), "a line without its end is sent")
        output += line
        flush()
    }

    private func serve(_ readiness: EventLoop.Readiness) {
        if readiness.contains(.write) { flush() }
        guard readiness.contains(.read), !isClosed else { return }
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = read(descriptor, &chunk, chunk.count)
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        guard count > 0, input.count + count <= Self.limit else { return hangUp() }
        input += chunk[..<count]
        var rest = input[...]
        while !isClosed, let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            heard(rest[..<end])
            rest = rest[(end + 1)...]
        }
        input = Array(rest)
    }

    private func flush() {
        while !output.isEmpty {
            let count = Glibc.send(descriptor, output, output.count, Int32(MSG_NOSIGNAL))
            if count < 0 {
                if errno == EINTR { continue }
                if errno == EAGAIN { return loop.change(descriptor, to: [.read, .write]) }
                // It may have said something before it went, and that is read up to its end.
                isDeaf = true
                output.removeAll()
                break
            }
            precondition(count <= output.count, "\(count) of \(output.count) bytes were sent")
            output.removeFirst(count)
        }
        loop.change(descriptor, to: .read)
    }

    private func hangUp() {
        close()
        closed()
    }
}
