// SPDX-License-Identifier: Apache-2.0

/// A program that was read is bounded in depth and count (`ForeignLimits`), but otherwise unchecked: call `problems()`.
extension ForeignProgram: WireValue {
    package func write(to writer: inout WireWriter) { writer.put(calls) }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init(calls: try reader.readArray("calls", atMost: ForeignLimits.calls))
    }
}

extension ForeignCall: WireValue {
    package func write(to writer: inout WireWriter) {
        writer.put(library, function, arguments, returns, result)
        writer.put(success, always, fixedArguments)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init(
            library: try reader.read(), function: try reader.read(),
            arguments: try reader.readArray("arguments", atMost: ForeignLimits.arguments),
            returns: try reader.read(), result: try reader.read(), success: try reader.read(),
            always: try reader.read(), fixedArguments: try reader.read())
    }
}

extension ForeignArgument: WireRecord {
    package static let layout = Layout(Self.init) { ($0.name, $0.value) }
}

extension ForeignSave: WireRecord {
    package static let layout = Layout(Self.init) { ($0.path, $0.length) }
}

extension ForeignType: WireValue {
    package func write(to writer: inout WireWriter) {
        switch self {
        case .structure(let fields): writer.put(Self.structureTag, fields)
        case .strings(let count): writer.put(Self.stringsTag, count)
        default: writer.put(UInt8(clamping: Self.plain.firstIndex { $0.type == self } ?? 0))
        }
    }

    package init(from reader: inout WireReader) throws(WireError) {
        switch try reader.read(UInt8.self) {
        case let tag where tag < Self.plain.count: self = Self.plain[Int(tag)].type
        case Self.structureTag: self = .structure(try reader.readInner("fields"))
        case Self.stringsTag: self = .strings(count: try reader.read())
        case let tag: throw .malformed("\(tag) is not a tag of a foreign type")
        }
    }
}

extension ForeignValue: WireValue {
    package func write(to writer: inout WireWriter) {
        switch self {
        case .integer(let type, let integer): writer.put(ValueTag.integer, type, integer)
        case .real(let type, let real): writer.put(ValueTag.real, type, real)
        case .string(let text): writer.put(ValueTag.string, text)
        case .null: writer.put(ValueTag.null)
        case .inputBytes(let bytes): writer.put(ValueTag.inputBytes, bytes)
        case .inputFile(let path): writer.put(ValueTag.inputFile, path)
        case .outputBuffer(let capacity, let save):
            writer.put(ValueTag.outputBuffer, capacity, save)
        case .pointerTo(let pointee): writer.put(ValueTag.pointerTo, pointee)
        case .structure(let fields): writer.put(ValueTag.structure, fields)
        case .reference(let name): writer.put(ValueTag.reference, name)
        case .addressOf(let name): writer.put(ValueTag.addressOf, name)
        case .field(let name, let path): writer.put(ValueTag.field, name, path)
        case .lengthOf(let name, let type): writer.put(ValueTag.lengthOf, name, type)
        case .callback(let callback): writer.put(ValueTag.callback, callback)
        }
    }

    package init(from reader: inout WireReader) throws(WireError) {
        switch try reader.readTag(ValueTag.self, "value") {
        case .integer: self = .integer(try reader.read(), try reader.read())
        case .real: self = .real(try reader.read(), try reader.read())
        case .string: self = .string(try reader.read())
        case .null: self = .null
        case .inputBytes: self = .inputBytes(try reader.read())
        case .inputFile: self = .inputFile(try reader.read())
        case .outputBuffer:
            self = .outputBuffer(capacity: try reader.read(), save: try reader.read())
        case .pointerTo: self = .pointerTo(try reader.readInner())
        case .structure: self = .structure(try reader.readInner("fields"))
        case .reference: self = .reference(try reader.read())
        case .addressOf: self = .addressOf(try reader.read())
        case .field:
            self = .field(
                try reader.read(),
                try reader.readArray("field positions", atMost: ForeignLimits.depth))
        case .lengthOf: self = .lengthOf(try reader.read(), try reader.read())
        case .callback: self = .callback(try reader.read())
        }
    }
}

extension ForeignCallback: WireValue {
    package func write(to writer: inout WireWriter) {
        writer.put(parameters, returns, value, valueWhenExpired, log)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        self.init(
            parameters: try reader.readInner("parameters"), returns: try reader.read(),
            value: try reader.read(), valueWhenExpired: try reader.read(), log: try reader.read())
    }
}

extension ForeignSuccess: WireValue {
    package func write(to writer: inout WireWriter) {
        switch self {
        case .zero: writer.put(SuccessTag.zero)
        case .nonZero: writer.put(SuccessTag.nonZero)
        case .equals(let value): writer.put(SuccessTag.equals, value)
        case .notEquals(let value): writer.put(SuccessTag.notEquals, value)
        case .atLeast(let value): writer.put(SuccessTag.atLeast, value)
        case .lessThan(let value): writer.put(SuccessTag.lessThan, value)
        case .errno: writer.put(SuccessTag.errno)
        }
    }

    package init(from reader: inout WireReader) throws(WireError) {
        switch try reader.readTag(SuccessTag.self, "success") {
        case .zero: self = .zero
        case .nonZero: self = .nonZero
        case .equals: self = .equals(try reader.read())
        case .notEquals: self = .notEquals(try reader.read())
        case .atLeast: self = .atLeast(try reader.read())
        case .lessThan: self = .lessThan(try reader.read())
        case .errno: self = .errno
        }
    }
}

extension WireReader {
    fileprivate mutating func readTag<Tag: RawRepresentable<UInt8>>(
        _ type: Tag.Type, _ what: String
    ) throws(WireError) -> Tag {
        let raw = try read(UInt8.self)
        guard let tag = Tag(rawValue: raw) else {
            throw .malformed("\(raw) is not a tag of a foreign \(what)")
        }
        return tag
    }

    /// Refuses a count above the limit before it reads anything for it.
    fileprivate mutating func readArray<Value: WireValue>(
        _ what: String, atMost limit: Int
    ) throws(WireError) -> [Value] {
        var ahead = self
        let count = Int(try ahead.read(UInt32.self))
        guard count <= limit else {
            throw .malformed("\(count) \(what), at most \(limit) are allowed")
        }
        return try read()
    }

    /// The parts of a type or value.
    fileprivate mutating func readInner<Value: WireValue>(
        _ what: String
    ) throws(WireError) -> [Value] {
        let outer = try enter()
        defer { nesting = outer }
        return try readArray(what, atMost: ForeignLimits.fields)
    }

    /// The pointee of a value.
    fileprivate mutating func readInner<Value: WireValue>() throws(WireError) -> Value {
        let outer = try enter()
        defer { nesting = outer }
        return try read()
    }

    /// Counts one more level of nesting; returns the number of outer ones.
    private mutating func enter() throws(WireError) -> Int {
        guard nesting < ForeignLimits.depth else {
            throw .malformed("a foreign value is nested deeper than \(ForeignLimits.depth)")
        }
        nesting += 1  // fits: at most the limit
        return nesting &- 1
    }
}

extension ForeignType {
    fileprivate static let structureTag: UInt8 = 100
    fileprivate static let stringsTag: UInt8 = 101
}

/// The tag byte of a kind of value; only append cases.
private enum ValueTag: UInt8, WireWritable {
    case integer, real, string, null, inputBytes, inputFile, outputBuffer, pointerTo, structure
    case reference, field, lengthOf, callback, addressOf
}

/// The tag byte of a condition of success; only append cases.
private enum SuccessTag: UInt8, WireWritable {
    case zero, nonZero, equals, notEquals, atLeast, lessThan, errno
}
