// SPDX-License-Identifier: Apache-2.0

import BGRunSystem
import CBGRunShims
import Glibc

/// Writes frames to a socket without ever blocking the host: data that the peer does not accept now is written when it
/// does.
package struct Outlet {
    package let descriptor: Int32
    private var waiting: [UInt8] = []
    /// Descriptors to send with the next byte, owned.
    private var passing: [Int32] = []

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// The number of bytes waiting for the peer.
    var backlog: Int { waiting.count }

    /// Whether bytes wait for the socket to be writable.
    package var isBacklogged: Bool { !waiting.isEmpty }

    /// - Parameter passed: Descriptors, at most `BGRUN_MOST_PASSED`; the peer receives copies with the next byte
    ///   written, only of the first ones if they cannot be duplicated.
    package mutating func send(_ frame: [UInt8], passing passed: [Int32] = []) {
        precondition(!frame.isEmpty, "an empty frame is sent")
        precondition(passed.count <= BGRUN_MOST_PASSED, "\(passed.count) descriptors are sent")
        if !passed.isEmpty {
            closePassing()
            let copies = passed.map { fcntl($0, F_DUPFD_CLOEXEC, 0) }
            passing = Array(copies.prefix { $0 >= 0 })
            for copy in copies[passing.count...] where copy >= 0 { close(copy) }
        }
        guard waiting.isEmpty else {
            waiting += frame
            return
        }
        let sent = write(frame[...])
        waiting = Array(frame[sent...])
    }

    /// Writes waiting data, as far as possible.
    package mutating func flush() {
        let sent = write(waiting[...])
        precondition(sent <= waiting.count, "\(sent) of \(waiting.count) bytes were sent")
        waiting.removeFirst(sent)
    }

    /// Closes the descriptors that were not sent.
    mutating func closePassing() {
        for descriptor in passing { close(descriptor) }
        passing = []
    }

    /// The number of bytes accepted; all of them if the peer is gone, since nothing will read them.
    private mutating func write(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.withUnsafeBytes { buffer in
            var sent = 0
            while sent < buffer.count {
                let count = bgrun_send_passing(
                    descriptor, buffer.baseAddress?.advanced(by: sent), buffer.count - sent,
                    passing, passing.count)
                if count > 0 {
                    sent += Int(count)
                    closePassing()
                } else if count == -EAGAIN || count == -ETOOMANYREFS {
                    return sent
                } else if count != -EINTR {
                    return buffer.count
                }
            }
            return sent
        }
    }
}
