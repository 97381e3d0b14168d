// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol

/// A value that can be written to the journal and read back unchanged. Every `write` of an enumeration
/// switches over all cases, so a new case without a format here does not compile. Tags are never reused; a
/// change that older versions cannot read raises `JournalFile.format`.
protocol Journaled: JournalWritable {
    init(from reader: inout WireReader) throws(WireError)
}

/// The writing half, which optionals and arrays have, too; `optional` and `array` read these: if they were
/// `Journaled`, `value` could read an optional in place of its value.
protocol JournalWritable {
    func write(to writer: inout WireWriter)
}

extension Optional: JournalWritable where Wrapped: JournalWritable {
    func write(to writer: inout WireWriter) {
        writer.write(self != nil)
        self?.write(to: &writer)
    }
}

extension Array: JournalWritable where Element: JournalWritable {
    func write(to writer: inout WireWriter) {
        writer.write(UInt32(self.count))
        for value in self { value.write(to: &writer) }
    }
}

/// A `put` for each number of values: a variadic one would cost time at each event.
extension WireWriter {
    mutating func put(_ value: some JournalWritable) { value.write(to: &self) }

    mutating func put(_ first: some JournalWritable, _ second: some JournalWritable) {
        first.write(to: &self)
        second.write(to: &self)
    }

    mutating func put(
        _ first: some JournalWritable, _ second: some JournalWritable, _ third: some JournalWritable
    ) {
        put(first, second)
        put(third)
    }

    mutating func put(
        _ first: some JournalWritable, _ second: some JournalWritable,
        _ third: some JournalWritable, _ fourth: some JournalWritable
    ) {
        put(first, second)
        put(third, fourth)
    }

    mutating func put(
        _ first: some JournalWritable, _ second: some JournalWritable,
        _ third: some JournalWritable, _ fourth: some JournalWritable, _ fifth: some JournalWritable
    ) {
        put(first, second, third)
        put(fourth, fifth)
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
    func write(to writer: inout WireWriter) { writer.put(elapsed, wall) }
    init(from reader: inout WireReader) throws(WireError) {
        self.init(elapsed: try reader.read(), wall: try reader.value())
    }
}

/// The error of an unknown tag.
func unknownTag<Value>(_ tag: UInt8, _ type: Value.Type) -> WireError {
    .malformed("\(type) \(tag) is unknown")
}
