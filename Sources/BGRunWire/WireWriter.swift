// SPDX-License-Identifier: Apache-2.0

/// Builds the payload of one frame: little-endian integers, length-prefixed bytes.
public struct WireWriter {
    public private(set) var bytes: [UInt8] = []

    public init() {}

    public mutating func write<Value: FixedWidthInteger>(_ value: Value) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    public mutating func write(_ value: Bool) {
        bytes.append(value ? 1 : 0)
    }

    public mutating func write(_ value: Double) {
        write(value.bitPattern)
    }

    public mutating func write(_ value: [UInt8]) {
        write(UInt32(value.count))
        bytes.append(contentsOf: value)
    }

    public mutating func write(_ value: String) {
        write(UInt32(value.utf8.count))
        bytes.append(contentsOf: value.utf8)
    }

    public mutating func write<Value>(
        _ value: Value?, with body: (inout WireWriter, Value) -> Void
    ) {
        write(value != nil)
        if let value { body(&self, value) }
    }

    public mutating func write<Value>(
        _ values: [Value], with body: (inout WireWriter, Value) -> Void
    ) {
        write(UInt32(values.count))
        for value in values { body(&self, value) }
    }
}
