// SPDX-License-Identifier: Apache-2.0

extension WireWriter {
    /// Writes a program; `WireReader.read(ForeignProgram.self)` reads it back.
    package mutating func write(_ program: ForeignProgram) { write(program.calls) { $0.write($1) } }

    private mutating func write(_ call: ForeignCall) {
        put(call.library, call.function)
        write(call.arguments) { $0.put($1.name, $1.value) }
        put(call.returns, call.result, call.success, call.always)
        put(call.fixedArguments.map { Int64($0) })
    }
}

extension ForeignType: WireWritable {
    package func write(to writer: inout WireWriter) {
        switch self {
        case .structure(let fields):
            writer.put(Self.structureTag)
            writer.write(fields) { $0.put($1) }
        case .strings(let count): writer.put(Self.stringsTag, count.map { Int64($0) })
        default: writer.put(UInt8(clamping: Self.plain.firstIndex { $0.type == self } ?? 0))
        }
    }
}

extension ForeignValue: WireWritable {
    package func write(to writer: inout WireWriter) {
        switch self {
        case .integer(let type, let integer): writer.put(ValueTag.integer, type, integer)
        case .real(let type, let real): writer.put(ValueTag.real, type, real)
        case .string(let text): writer.put(ValueTag.string, text)
        case .null: writer.put(ValueTag.null)
        case .inputBytes(let bytes): writer.put(ValueTag.inputBytes, bytes)
        case .inputFile(let path): writer.put(ValueTag.inputFile, path)
        case .outputBuffer(let capacity, let save):
            writer.put(ValueTag.outputBuffer, capacity)
            writer.write(save) { $0.put($1.path, $1.length) }
        case .pointerTo(let pointee): writer.put(ValueTag.pointerTo, pointee)
        case .structure(let fields):
            writer.put(ValueTag.structure)
            writer.write(fields) { $0.put($1) }
        case .reference(let name): writer.put(ValueTag.reference, name)
        case .addressOf(let name): writer.put(ValueTag.addressOf, name)
        case .field(let name, let path):
            writer.put(ValueTag.field, name)
            writer.write(path) { $0.write(Int64($1)) }
        case .lengthOf(let name, let type): writer.put(ValueTag.lengthOf, name, type)
        case .callback(let callback):
            writer.put(ValueTag.callback)
            writer.write(callback.parameters) { $0.put($1) }
            writer.put(callback.returns, callback.value, callback.valueWhenExpired, callback.log)
        }
    }
}

extension ForeignSuccess: WireWritable {
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
}

extension WireReader {
    /// Reads a program. The result is bounded in depth and count (`ForeignLimits`), but otherwise
    /// unchecked: call `problems()`.
    package mutating func read(
        _ type: ForeignProgram.Type = ForeignProgram.self
    ) throws(WireError) -> ForeignProgram {
        ForeignProgram(
            calls: try readArray("calls", atMost: ForeignLimits.calls) {
                (reader) throws(WireError) in try reader.readCall()
            })
    }

    private mutating func readCall() throws(WireError) -> ForeignCall {
        let library = try read(String.self)
        let function = try read(String.self)
        let arguments = try readArray("arguments", atMost: ForeignLimits.arguments) {
            (reader) throws(WireError) in
            let name = try reader.readName()
            return ForeignArgument(name: name, value: try reader.readValue(depth: 0))
        }
        return ForeignCall(
            library: library, function: function, arguments: arguments,
            returns: try readType(depth: 0), result: try readName(),
            success: try readOptional { (reader) throws(WireError) in try reader.readSuccess() },
            always: try read(),
            fixedArguments: try readOptional { (reader) throws(WireError) in try reader.readIndex()
            })
    }

    private mutating func readType(depth: Int) throws(WireError) -> ForeignType {
        switch try read(UInt8.self) {
        case let tag where tag < ForeignType.plain.count:
            ForeignType.plain[Int(tag)].type
        case ForeignType.structureTag:
            .structure(
                try readNested("fields", depth) { (reader, depth) throws(WireError) in
                    try reader.readType(depth: depth)
                })
        case ForeignType.stringsTag:
            .strings(
                count: try readOptional { (reader) throws(WireError) in try reader.readIndex() })
        case let tag:
            throw .malformed("\(tag) is not a tag of a foreign type")
        }
    }

    private mutating func readValue(depth: Int) throws(WireError) -> ForeignValue {
        switch try readTag(ValueTag.self, "value") {
        case .integer: .integer(try readType(depth: depth), try read())
        case .real: .real(try readType(depth: depth), try read())
        case .string: .string(try read())
        case .null: .null
        case .inputBytes: .inputBytes(try read())
        case .inputFile: .inputFile(try read())
        case .outputBuffer:
            .outputBuffer(
                capacity: try read(),
                save: try readOptional { (reader) throws(WireError) in
                    ForeignSave(path: try reader.read(), length: try reader.readName())
                })
        case .pointerTo: .pointerTo(try readValue(depth: deeper(depth)))
        case .structure:
            .structure(
                try readNested("fields", depth) { (reader, depth) throws(WireError) in
                    try reader.readValue(depth: depth)
                })
        case .reference: .reference(try read())
        case .addressOf: .addressOf(try read())
        case .field:
            .field(
                try read(),
                try readArray("field positions", atMost: ForeignLimits.depth) {
                    (reader) throws(WireError) in try reader.readIndex()
                })
        case .lengthOf: .lengthOf(try read(), try readType(depth: depth))
        case .callback: .callback(try readCallback(depth: depth))
        }
    }

    private mutating func readCallback(depth: Int) throws(WireError) -> ForeignCallback {
        ForeignCallback(
            parameters: try readNested("parameters", depth) { (reader, depth) throws(WireError) in
                try reader.readType(depth: depth)
            },
            returns: try readType(depth: depth), value: try read(),
            valueWhenExpired: try readOptional { (reader) throws(WireError) in try reader.read() },
            log: try read())
    }

    private mutating func readSuccess() throws(WireError) -> ForeignSuccess {
        switch try readTag(SuccessTag.self, "success") {
        case .zero: .zero
        case .nonZero: .nonZero
        case .equals: .equals(try read())
        case .notEquals: .notEquals(try read())
        case .atLeast: .atLeast(try read())
        case .lessThan: .lessThan(try read())
        case .errno: .errno
        }
    }

    private mutating func readName() throws(WireError) -> String? {
        try readOptional { (reader) throws(WireError) in try reader.read() }
    }

    private mutating func readIndex() throws(WireError) -> Int { Int(try read(Int64.self)) }

    private mutating func readTag<Tag: RawRepresentable<UInt8>>(
        _ type: Tag.Type, _ what: String
    ) throws(WireError) -> Tag {
        let raw = try read(UInt8.self)
        guard let tag = Tag(rawValue: raw) else {
            throw .malformed("\(raw) is not a tag of a foreign \(what)")
        }
        return tag
    }

    private mutating func readNested<Value>(
        _ what: String, _ depth: Int,
        _ body: (inout WireReader, _ depth: Int) throws(WireError) -> Value
    ) throws(WireError) -> [Value] {
        let depth = try deeper(depth)
        return try readArray(what, atMost: ForeignLimits.fields) { (reader) throws(WireError) in
            try body(&reader, depth)
        }
    }

    private mutating func readArray<Value>(
        _ what: String, atMost limit: Int,
        _ body: (inout WireReader) throws(WireError) -> Value
    ) throws(WireError) -> [Value] {
        let count = Int(try read(UInt32.self))
        guard count <= limit else {
            throw .malformed("\(count) \(what), at most \(limit) are allowed")
        }
        var values: [Value] = []
        for _ in 0..<count { values.append(try body(&self)) }
        return values
    }

    private func deeper(_ depth: Int) throws(WireError) -> Int {
        guard depth < ForeignLimits.depth else {
            throw .malformed("a foreign value is nested deeper than \(ForeignLimits.depth)")
        }
        return depth + 1
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
