// SPDX-License-Identifier: Apache-2.0

/// Builds the payload of one frame: little-endian integers, length-prefixed bytes.
public struct WireWriter: Sendable {
    @usableFromInline var buffer: [UInt8] = []

    public var bytes: [UInt8] { buffer }

    public init() {}

    /// Begins again in the same memory.
    public mutating func removeAll() {
        buffer.removeAll(keepingCapacity: true)
    }

    /// Appends what another writer has written, as it is.
    public mutating func append(_ other: WireWriter) {
        buffer += other.buffer
    }

    @inlinable
    public mutating func write<Value: FixedWidthInteger>(_ value: Value) {
        withUnsafeBytes(of: value.littleEndian) { buffer.append(contentsOf: $0) }
    }

    @inlinable
    public mutating func write(_ value: Bool) {
        buffer.append(value ? 1 : 0)
    }

    @inlinable
    public mutating func write(_ value: Double) {
        write(value.bitPattern)
    }

    @inlinable
    public mutating func write(_ value: [UInt8]) {
        write(UInt32(value.count))
        buffer.append(contentsOf: value)
    }

    @inlinable
    public mutating func write(_ value: String) {
        write(UInt32(value.utf8.count))
        buffer.append(contentsOf: value.utf8)
    }

    @inlinable
    public mutating func write<Value>(
        _ value: Value?, with body: (inout WireWriter, Value) -> Void
    ) {
        write(value != nil)
        if let value { body(&self, value) }
    }

    @inlinable
    public mutating func write<Value>(
        _ values: [Value], with body: (inout WireWriter, Value) -> Void
    ) {
        write(UInt32(values.count))
        for value in values { body(&self, value) }
    }
}
