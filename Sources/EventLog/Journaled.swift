// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol

/// A value that is written to the journal and read back as it was.
///
/// Every `write` of an enumeration switches over all cases: a new one that has no form here does not
/// compile. Tags are never used again; what an older bgrun cannot read raises `JournalFile.format`.
protocol Journaled {
    func write(to writer: inout WireWriter)
    init(from reader: inout WireReader) throws(WireError)
}

extension WireWriter {
    mutating func put(_ value: some Journaled) {
        value.write(to: &self)
    }

    mutating func put(_ value: (some Journaled)?) {
        write(value != nil)
        value?.write(to: &self)
    }

    mutating func put(_ values: [some Journaled]) {
        write(UInt32(values.count))
        for value in values { value.write(to: &self) }
    }
}

extension WireReader {
    mutating func value<Value: Journaled>(
        _ type: Value.Type = Value.self
    ) throws(WireError) -> Value {
        try Value(from: &self)
    }

    mutating func optional<Value: Journaled>(
        _ type: Value.Type = Value.self
    ) throws(WireError) -> Value? {
        try read(Bool.self) ? try Value(from: &self) : nil
    }

    mutating func array<Value: Journaled>(
        _ type: Value.Type = Value.self
    ) throws(WireError) -> [Value] {
        try readArray { reader throws(WireError) in try Value(from: &reader) }
    }
}

extension Journaled where Self: FixedWidthInteger {
    func write(to writer: inout WireWriter) { writer.write(self) }
    init(from reader: inout WireReader) throws(WireError) { self = try reader.read(Self.self) }
}

extension Int64: Journaled {}
extension UInt64: Journaled {}
extension UInt32: Journaled {}
extension UInt16: Journaled {}
extension UInt8: Journaled {}
extension Int32: Journaled {}
extension Int8: Journaled {}

extension Int: Journaled {
    func write(to writer: inout WireWriter) { writer.write(Int64(self)) }
    init(from reader: inout WireReader) throws(WireError) {
        self = Int(clamping: try reader.read(Int64.self))
    }
}

extension Bool: Journaled {
    func write(to writer: inout WireWriter) { writer.write(self) }
    init(from reader: inout WireReader) throws(WireError) { self = try reader.read(Bool.self) }
}

extension String: Journaled {
    func write(to writer: inout WireWriter) { writer.write(self) }
    init(from reader: inout WireReader) throws(WireError) { self = try reader.read(String.self) }
}

extension Journaled where Self: RawRepresentable, RawValue: Journaled {
    func write(to writer: inout WireWriter) { rawValue.write(to: &writer) }
    init(from reader: inout WireReader) throws(WireError) {
        let raw = try RawValue(from: &reader)
        guard let value = Self(rawValue: raw) else {
            throw .malformed("\(raw) is not a \(Self.self)")
        }
        self = value
    }
}

extension Conditions: Journaled {}
extension Reading: Journaled {}
extension ThermalState: Journaled {}
extension RefreshSwitch: Journaled {}
extension StopReason: Journaled {}
extension TaskKind: Journaled {}
extension Mode: Journaled {}
extension Resource: Journaled {}
extension CatchUp: Journaled {}
extension Strategy: Journaled {}
extension Overlap: Journaled {}
extension TaskDeclaration.Submission: Journaled {}
extension RetryRule.Backoff: Journaled {}
extension Policy.Profile: Journaled {}

extension WallTime: Journaled {
    func write(to writer: inout WireWriter) { writer.put(milliseconds) }
    init(from reader: inout WireReader) throws(WireError) {
        self.init(milliseconds: try reader.read())
    }
}

extension Interval: Journaled {
    func write(to writer: inout WireWriter) { writer.put(nanoseconds) }
    init(from reader: inout WireReader) throws(WireError) {
        self.init(nanoseconds: try reader.read())
    }
}

extension Instant: Journaled {
    func write(to writer: inout WireWriter) {
        writer.put(elapsed)
        writer.put(wall)
    }
    init(from reader: inout WireReader) throws(WireError) {
        self.init(elapsed: try reader.read(), wall: try reader.value())
    }
}

/// A tag that no case has.
func unknownTag<Value>(_ tag: UInt8, _ type: Value.Type) -> WireError {
    .malformed("\(type) \(tag) is unknown")
}
