// SPDX-License-Identifier: Apache-2.0

import BGRunSystem
import CBGRunShims
import Glibc

/// Writes frames to a socket without ever blocking the host: data that the peer does not accept now is written when it
/// does.
package struct Outlet {
    package let descriptor: Int32
    private var waiting: [UInt8] = []
    /// A descriptor to send with the next byte, owned; -1: none.
    private var passing: Int32 = -1

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// The number of bytes waiting for the peer.
    var backlog: Int { waiting.count }

    /// Whether bytes wait for the socket to be writable.
    package var isBacklogged: Bool { !waiting.isEmpty }

    /// - Parameter passed: A descriptor; the peer receives a copy with the next byte written.
    package mutating func send(_ frame: [UInt8], passing passed: Int32? = nil) {
        precondition(!frame.isEmpty, "an empty frame is sent")
        if let passed {
            closePassing()
            passing = fcntl(passed, F_DUPFD_CLOEXEC, 0)
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

    /// Closes a descriptor that was not sent.
    mutating func closePassing() {
        if passing >= 0 { close(passing) }
        passing = -1
    }

    /// The number of bytes accepted; all of them if the peer is gone, since nothing will read them.
    private mutating func write(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.withUnsafeBytes { buffer in
            var sent = 0
            while sent < buffer.count {
                let count = bgrun_send_passing(
                    descriptor, buffer.baseAddress?.advanced(by: sent), buffer.count - sent, passing
                )
                if count > 0 {
                    sent += Int(count)
                    closePassing()
                } else if count == -EAGAIN {
                    return sent
                } else if count != -EINTR {
                    return buffer.count
                }
            }
            return sent
        }
    }
}
