// SPDX-License-Identifier: Apache-2.0

/// Reads the payload of one frame. Every read is checked: the peer may be hostile.
@usableFromInline
package struct WireReader {
    @usableFromInline let bytes: ArraySlice<UInt8>
    @usableFromInline var position: Int

    package init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    package init(_ bytes: [UInt8]) { self.init(bytes[...]) }

    package var isAtEnd: Bool { position == bytes.endIndex }

    @inlinable
    package mutating func value<Value: WireValue>(
        _ type: Value.Type = Value.self
    ) throws(WireError) -> Value {
        try Value(from: &self)
    }

    @inlinable
    package mutating func read<Value: FixedWidthInteger>(
        _ type: Value.Type = Value.self
    ) throws(WireError) -> Value {
        let raw = try take(MemoryLayout<Value>.size)
        var value = Value.zero
        withUnsafeMutableBytes(of: &value) { $0.copyBytes(from: raw) }
        return Value(littleEndian: value)
    }

    @inlinable
    package mutating func read(_ type: Bool.Type = Bool.self) throws(WireError) -> Bool {
        switch try read(UInt8.self) {
        case 0: return false
        case 1: return true
        case let other: throw .malformed("a flag is \(other), not 0 or 1")
        }
    }

    @inlinable
    mutating func read(_ type: Double.Type = Double.self) throws(WireError) -> Double {
        Double(bitPattern: try read(UInt64.self))
    }

    @inlinable
    mutating func read(_ type: [UInt8].Type = [UInt8].self) throws(WireError) -> [UInt8] {
        Array(try take(Int(read(UInt32.self))))
    }

    /// Text; invalid UTF-8 is replaced, so a plugin's invalid string never ends the host.
    @inlinable
    package mutating func read(_ type: String.Type = String.self) throws(WireError) -> String {
        String(decoding: try take(Int(read(UInt32.self))), as: UTF8.self)
    }

    /// Text of `count` bytes, whose length is stored elsewhere.
    package mutating func readText(_ count: Int) throws(WireError) -> String {
        String(decoding: try take(count), as: UTF8.self)
    }

    @inlinable
    mutating func readOptional<Value>(
        _ body: (inout WireReader) throws(WireError) -> Value
    ) throws(WireError) -> Value? {
        try read(Bool.self) ? try body(&self) : nil
    }

    /// Optional text.
    mutating func readText() throws(WireError) -> String? {
        try readOptional { reader throws(WireError) in try reader.read(String.self) }
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
package enum WireError: Error, Hashable {
    case malformed(String)
}
