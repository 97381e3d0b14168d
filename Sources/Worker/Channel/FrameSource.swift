// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import CBGRunShims
import Glibc

/// Reads the host's messages from one descriptor.
struct FrameSource {
    private let descriptor: Int32
    private var frames = FrameBuffer()
    private var chunk = [UInt8](repeating: 0, count: 16_384)
    /// A descriptor that was received with it; -1 if there is none.
    private var passed: Int32 = -1

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Waits for the next message. Ends this process when the host is gone.
    mutating func next() -> HostMessage {
        while true {
            if let message = buffered() { return message }
            receive()
        }
    }

    /// The next completely received message. Ends this process if it is invalid.
    mutating func buffered() -> HostMessage? {
        do {
            return try frames.next().map { payload throws(WireError) in
                try HostMessage(payload: payload)
            }
        } catch {
            HostChannel.isGone()
        }
    }

    /// The descriptor that came with the last message, owned by the caller.
    mutating func takePassed() -> Int32? {
        defer { passed = -1 }
        return passed < 0 ? nil : passed
    }

    /// Reads once, blocking. Ends this process when the host is gone.
    mutating func receive() {
        while true {
            var arrived: Int32 = -1
            let count = bgrun_receive_passing(descriptor, &chunk, chunk.count, &arrived)
            if arrived >= 0 { passed = arrived }
            if count > 0 { return frames.append(chunk[..<Int(count)]) }
            guard count == -EINTR else { HostChannel.isGone() }
        }
    }
}
