// SPDX-License-Identifier: Apache-2.0

import BGRunWire
import Glibc

/// Reads the host's messages from one descriptor.
struct FrameSource {
    private let descriptor: Int32
    private var frames = FrameBuffer()
    private var chunk = [UInt8](repeating: 0, count: 16_384)

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// The next message, waited for. Ends this process when the host is gone.
    mutating func next() -> HostMessage {
        while true {
            if let message = buffered() { return message }
            receive()
        }
    }

    /// The next message that has been received whole. Ends this process when it makes no sense.
    mutating func buffered() -> HostMessage? {
        do {
            return try frames.next().map { payload throws(WireError) in
                try HostMessage(payload: payload)
            }
        } catch {
            Host.isGone()
        }
    }

    /// Reads once, blocking. Ends this process when the host is gone.
    mutating func receive() {
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            if count > 0 {
                return chunk.withUnsafeBytes {
                    frames.append(UnsafeRawBufferPointer(rebasing: $0[..<count]))
                }
            }
            guard count < 0, errno == EINTR else { Host.isGone() }
        }
    }
}
