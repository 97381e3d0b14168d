// SPDX-License-Identifier: Apache-2.0

/// Reads the payload of one frame. Every read is checked: the peer may be hostile.
@usableFromInline
package struct WireReader {
    @usableFromInline let bytes: ArraySlice<UInt8>
    @usableFromInline var position: Int
    /// The number of foreign types and values around the next one.
    var nesting = 0

    package init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    package init(_ bytes: [UInt8]) { self.init(bytes[...]) }

    package var isAtEnd: Bool { position == bytes.endIndex }

    /// The type comes from the destination: where that is optional, the value must have been written as an optional.
    @inlinable
    package mutating func read<Value: WireValue>(
        _ type: Value.Type = Value.self
    ) throws(WireError) -> Value {
        try Value(from: &self)
    }

    /// Text of `count` bytes, whose length is stored elsewhere. Invalid UTF-8 is replaced, so a plugin's invalid string
    /// never ends the host.
    @inlinable
    package mutating func readText(_ count: Int) throws(WireError) -> String {
        String(decoding: try take(count), as: UTF8.self)
    }

    @inlinable
    package mutating func readArray<Value>(
        _ body: (inout WireReader) throws(WireError) -> Value
    ) throws(WireError) -> [Value] {
        let count = Int(try read(UInt32.self))
        var values: [Value] = []
        // A peer that only claims many elements must not cause a large allocation.
        values.reserveCapacity(min(count, bytes.endIndex - position, 1_024))
        for _ in 0..<count { values.append(try body(&self)) }
        return values
    }

    @inlinable
    mutating func take(_ count: Int) throws(WireError) -> ArraySlice<UInt8> {
        guard count >= 0, count <= bytes.endIndex - position else {
            throw .malformed("\(count) bytes expected, \(bytes.endIndex - position) left")
        }
        defer { position += count }
        return bytes[position..<position + count]
    }
}

/// An invalid frame.
@usableFromInline
package enum WireError: Error, Equatable {
    case malformed(String)
}
