// SPDX-License-Identifier: Apache-2.0

/// A value with only one form in messages.
protocol WireValue: WireWritable, SendableMetatype {
    init(from reader: inout WireReader) throws(WireError)
}

/// A value that can be written; values of foreign programs are read with limits of depth and count instead.
protocol WireWritable {
    func write(to writer: inout WireWriter)
}

extension WireValue where Self: FixedWidthInteger {
    func write(to writer: inout WireWriter) { writer.write(self) }
    init(from reader: inout WireReader) throws(WireError) { self = try reader.read(Self.self) }
}

extension WireWritable where Self: RawRepresentable, RawValue == UInt8 {
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
    init(from reader: inout WireReader) throws(WireError) { self = try reader.read(Bool.self) }
}

extension Double: WireWritable {
    func write(to writer: inout WireWriter) { writer.write(self) }
}

extension String: WireValue {
    func write(to writer: inout WireWriter) { writer.write(self) }
    init(from reader: inout WireReader) throws(WireError) { self = try reader.read(String.self) }
}

extension Array: WireWritable where Element: WireWritable {
    func write(to writer: inout WireWriter) {
        // fits: less than a frame
        writer.write(UInt32(count))
        // A checkpoint has many bytes.
        if Element.self == UInt8.self { return withUnsafeBytes { writer.append($0) } }
        for value in self { value.write(to: &writer) }
    }
}

extension Array: WireValue where Element: WireValue {
    init(from reader: inout WireReader) throws(WireError) {
        if Element.self == UInt8.self, let bytes = try reader.read([UInt8].self) as? Self {
            self = bytes
            return
        }
        self = try reader.readArray { reader throws(WireError) in try Element(from: &reader) }
    }
}

extension Optional: WireWritable where Wrapped: WireWritable {
    func write(to writer: inout WireWriter) {
        writer.write(self != nil)
        self?.write(to: &writer)
    }
}

extension Optional: WireValue where Wrapped: WireValue {
    init(from reader: inout WireReader) throws(WireError) {
        self = try reader.read(Bool.self) ? try Wrapped(from: &reader) : nil
    }
}
