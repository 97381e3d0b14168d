// SPDX-License-Identifier: Apache-2.0

/// Builds the payload of one frame: little-endian integers, length-prefixed bytes.
package struct WireWriter: Sendable {
    @usableFromInline var buffer: [UInt8] = []

    package var bytes: [UInt8] { buffer }

    package init() {}

    /// Starts over with the same memory.
    package mutating func removeAll() { buffer.removeAll(keepingCapacity: true) }

    /// Removes the data after the first `count` bytes.
    package mutating func removeAll(after count: Int) {
        buffer.removeLast(max(0, buffer.count - count))
    }

    /// Reserves space for this many more bytes.
    package mutating func reserve(_ count: Int) { buffer.reserveCapacity(buffer.count + count) }

    /// Appends bytes without a length prefix.
    package mutating func append(_ bytes: UnsafeRawBufferPointer) {
        buffer.append(contentsOf: bytes)
    }

    @inlinable
    package mutating func write<Value: FixedWidthInteger>(_ value: Value) {
        withUnsafeBytes(of: value.littleEndian) { buffer.append(contentsOf: $0) }
    }

    @inlinable
    package mutating func write(_ value: Bool) { buffer.append(value ? 1 : 0) }

    @inlinable
    package mutating func write(_ value: Double) { write(value.bitPattern) }

    @inlinable
    package mutating func write(_ value: [UInt8]) {
        write(UInt32(value.count))
        buffer.append(contentsOf: value)
    }

    @inlinable
    package mutating func write(_ value: String) {
        write(UInt32(value.utf8.count))
        var value = value
        value.withUTF8 { buffer.append(contentsOf: $0) }
    }

    @inlinable
    mutating func write<Value>(
        _ value: Value?, with body: (inout WireWriter, Value) -> Void
    ) {
        write(value != nil)
        if let value { body(&self, value) }
    }

    @inlinable
    mutating func write<Value>(
        _ values: [Value], with body: (inout WireWriter, Value) -> Void
    ) {
        write(UInt32(values.count))
        for value in values { body(&self, value) }
    }
}

/// A value with only one form in messages.
protocol WireValue {
    func write(to writer: inout WireWriter)
}

extension WireValue where Self: FixedWidthInteger {
    func write(to writer: inout WireWriter) { writer.write(self) }
}

extension WireValue where Self: RawRepresentable, RawValue == UInt8 {
    func write(to writer: inout WireWriter) { writer.write(rawValue) }
}

extension Int8: WireValue {}
extension UInt8: WireValue {}
extension UInt32: WireValue {}
extension Int32: WireValue {}
extension Int64: WireValue {}
extension UInt64: WireValue {}

extension Bool: WireValue {
    func write(to writer: inout WireWriter) { writer.write(self) }
}

extension Double: WireValue {
    func write(to writer: inout WireWriter) { writer.write(self) }
}

extension String: WireValue {
    func write(to writer: inout WireWriter) { writer.write(self) }
}

extension Array: WireValue where Element == UInt8 {
    func write(to writer: inout WireWriter) { writer.write(self) }
}

extension Optional: WireValue where Wrapped: WireValue {
    func write(to writer: inout WireWriter) {
        writer.write(self != nil)
        self?.write(to: &writer)
    }
}

/// One `put` for each number of values, since a parameter pack would slow down every message.
extension WireWriter {
    mutating func put(_ value: some WireValue) { value.write(to: &self) }

    mutating func put(_ first: some WireValue, _ second: some WireValue) {
        put(first)
        put(second)
    }

    mutating func put(_ first: some WireValue, _ second: some WireValue, _ third: some WireValue) {
        put(first, second)
        put(third)
    }

    mutating func put(
        _ first: some WireValue, _ second: some WireValue, _ third: some WireValue,
        _ fourth: some WireValue
    ) {
        put(first, second)
        put(third, fourth)
    }

    mutating func put(
        _ first: some WireValue, _ second: some WireValue, _ third: some WireValue,
        _ fourth: some WireValue, _ fifth: some WireValue
    ) {
        put(first, second, third)
        put(fourth, fifth)
    }
}
