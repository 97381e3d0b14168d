// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import CBGRunShims
import Glibc

/// Reads the host's messages from one descriptor.
struct FrameSource {
    private let descriptor: Int32
    private var frames = FrameBuffer()
    private var chunk = [UInt8](repeating: 0, count: 16_384)
    /// The descriptors that were received with it, and not yet taken.
    private(set) var passed: [Int32] = []

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

    /// The descriptors that came with the last message, owned by the caller.
    mutating func takePassed() -> [Int32] {
        defer { passed = [] }
        return passed
    }

    /// Reads once, blocking. Ends this process when the host is gone.
    mutating func receive() {
        while true {
            var arrived = [Int32](repeating: -1, count: Int(BGRUN_MOST_PASSED))
            var number = 0
            let count = bgrun_receive_launch(
                descriptor, &chunk, chunk.count, &arrived, &number)
            passed += arrived[..<number]
            if count > 0 { return frames.append(chunk[..<Int(count)]) }
            guard count == -EINTR else { HostChannel.isGone() }
        }
    }
}
