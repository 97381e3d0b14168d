// SPDX-License-Identifier: Apache-2.0

/// A value with only one form in messages and in the journal.
@usableFromInline
package protocol WireValue: WireWritable, SendableMetatype {
    init(from reader: inout WireReader) throws(WireError)
}

/// A value that can be written; actions are written only for their digest.
@usableFromInline
package protocol WireWritable {
    func write(to writer: inout WireWriter)
}

extension WireValue where Self: FixedWidthInteger {
    @inlinable
    package func write(to writer: inout WireWriter) {
        withUnsafeBytes(of: littleEndian) { writer.append($0) }
    }

    @inlinable
    package init(from reader: inout WireReader) throws(WireError) {
        let bytes = try reader.take(MemoryLayout<Self>.size)
        var value = Self.zero
        withUnsafeMutableBytes(of: &value) { $0.copyBytes(from: bytes) }
        self.init(littleEndian: value)
    }
}

extension WireWritable where Self: RawRepresentable, RawValue: WireWritable {
    @inlinable
    package func write(to writer: inout WireWriter) { rawValue.write(to: &writer) }
}

extension WireValue where Self: RawRepresentable, RawValue: WireValue {
    @inlinable
    package init(from reader: inout WireReader) throws(WireError) {
        let raw = try RawValue(from: &reader)
        guard let value = Self(rawValue: raw) else {
            throw .malformed("\(raw) is not a \(Self.self)")
        }
        self = value
    }
}

extension Int8: WireValue {}
extension UInt8: WireValue {}
extension UInt16: WireValue {}
extension UInt32: WireValue {}
extension Int32: WireValue {}
extension Int64: WireValue {}
extension UInt64: WireValue {}

/// 64 bits; a number of another machine that does not fit is clamped.
extension Int: WireValue {
    @inlinable
    package func write(to writer: inout WireWriter) { writer.put(Int64(self)) }
    @inlinable
    package init(from reader: inout WireReader) throws(WireError) {
        self = Int(clamping: try reader.read(Int64.self))
    }
}

extension Bool: WireValue {
    @inlinable
    package func write(to writer: inout WireWriter) { writer.buffer.append(self ? 1 : 0) }
    @inlinable
    package init(from reader: inout WireReader) throws(WireError) {
        switch try reader.read(UInt8.self) {
        case 0: self = false
        case 1: self = true
        case let other: throw .malformed("a flag is \(other), not 0 or 1")
        }
    }
}

extension Double: WireValue {
    @inlinable
    package func write(to writer: inout WireWriter) { writer.put(bitPattern) }
    @inlinable
    package init(from reader: inout WireReader) throws(WireError) {
        self.init(bitPattern: try reader.read())
    }
}

extension String: WireValue {
    @inlinable
    package func write(to writer: inout WireWriter) {
        writer.put(UInt32(utf8.count))
        var text = self
        text.withUTF8 { writer.append(UnsafeRawBufferPointer($0)) }
    }

    @inlinable
    package init(from reader: inout WireReader) throws(WireError) {
        self = try reader.readText(Int(reader.read(UInt32.self)))
    }
}

extension Array: WireWritable where Element: WireWritable {
    @inlinable
    package func write(to writer: inout WireWriter) {
        // fits: less than a frame
        writer.put(UInt32(count))
        // A checkpoint has many bytes.
        if Element.self == UInt8.self { return withUnsafeBytes { writer.append($0) } }
        for value in self { value.write(to: &writer) }
    }
}

extension Array: WireValue where Element: WireValue {
    @inlinable
    package init(from reader: inout WireReader) throws(WireError) {
        if Element.self == UInt8.self,
            let bytes = try [UInt8](reader.take(Int(reader.read(UInt32.self)))) as? Self
        {
            self = bytes
            return
        }
        self = try reader.readArray { reader throws(WireError) in try Element(from: &reader) }
    }
}

extension Optional: WireWritable where Wrapped: WireWritable {
    @inlinable
    package func write(to writer: inout WireWriter) {
        writer.put(self != nil)
        self?.write(to: &writer)
    }
}

extension Optional: WireValue where Wrapped: WireValue {
    @inlinable
    package init(from reader: inout WireReader) throws(WireError) {
        self = try reader.read(Bool.self) ? try Wrapped(from: &reader) : nil
    }
}
