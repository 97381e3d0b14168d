// SPDX-License-Identifier: Apache-2.0

/// Splits a byte stream into frames: a 32-bit little-endian length, then that many bytes.
package struct FrameBuffer {
    /// The largest frame of both sides: a checkpoint and the rest of a launch fit in it.
    package static let largestFrame = 4 << 20

    private var bytes: [UInt8] = []
    private var start = 0

    package init() {}

    package mutating func append(_ chunk: UnsafeRawBufferPointer) {
        if start == bytes.count {
            bytes.removeAll(keepingCapacity: true)
            start = 0
        }
        bytes.append(contentsOf: chunk)
    }

    package mutating func append(_ chunk: ArraySlice<UInt8>) {
        chunk.withUnsafeBytes { append($0) }
    }

    /// The payload of the next complete frame, or nil if more bytes are needed.
    package mutating func next() throws(WireError) -> ArraySlice<UInt8>? {
        guard bytes.count - start >= 4 else { return compact() }
        var header = WireReader(bytes[start..<start + 4])
        let length = Int(try header.read(UInt32.self))
        guard length <= Self.largestFrame else {
            throw .malformed("a frame of \(length) bytes, at most \(Self.largestFrame) are allowed")
        }
        guard bytes.count - start - 4 >= length else { return compact() }
        let first = start + 4
        // fits: the frame is in the buffer
        start = first + length
        return bytes[first..<start]
    }

    private mutating func compact() -> ArraySlice<UInt8>? {
        if start > 65_536 {
            bytes.removeFirst(start)
            start = 0
        }
        return nil
    }

    /// `payload`, of at most `largestFrame` bytes, as a frame.
    package static func frame(_ payload: [UInt8]) -> [UInt8] {
        precondition(
            payload.count <= largestFrame, "a frame of \(payload.count) bytes would be refused")
        var writer = WireWriter()
        writer.put(payload)
        return writer.bytes
    }
}
