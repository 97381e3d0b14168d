// SPDX-License-Identifier: Apache-2.0

import BGRunLoop
import Glibc

/// Writes frames to a socket without ever blocking the host: what the other side does not take now
/// is written when it does.
package struct Outlet {
    package let descriptor: Int32
    private var waiting: [UInt8] = []

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Whether bytes wait for the socket to be writable.
    package var isBacklogged: Bool { !waiting.isEmpty }

    package mutating func send(_ frame: [UInt8]) {
        guard waiting.isEmpty else {
            waiting += frame
            return
        }
        let sent = Self.write(frame[...], to: descriptor)
        waiting = Array(frame[sent...])
    }

    /// Writes what is waiting, as far as it goes.
    package mutating func flush() {
        let sent = Self.write(waiting[...], to: descriptor)
        waiting.removeFirst(sent)
    }

    /// The number of bytes taken; all of them when the other side is gone, since nobody will.
    private static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Int {
        bytes.withUnsafeBytes { buffer in
            var sent = 0
            while sent < buffer.count {
                let count = Glibc.send(
                    descriptor, buffer.baseAddress?.advanced(by: sent), buffer.count - sent,
                    Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
                if count > 0 {
                    sent += count
                } else if errno == EAGAIN {
                    return sent
                } else if errno != EINTR {
                    return buffer.count
                }
            }
            return sent
        }
    }
}
