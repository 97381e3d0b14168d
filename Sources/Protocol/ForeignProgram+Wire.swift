// SPDX-License-Identifier: Apache-2.0

extension WireWriter {
    /// Writes a program; `WireReader.read(ForeignProgram.self)` reads it back.
    package mutating func write(_ program: ForeignProgram) {
        write(program.calls) { $0.write($1) }
    }

    private mutating func write(_ call: ForeignCall) {
        write(call.library)
        write(call.function)
        write(call.arguments) { writer, argument in
            writer.write(argument.name) { $0.write($1) }
            writer.write(argument.value)
        }
        write(call.returns)
        write(call.result) { $0.write($1) }
        write(call.success) { $0.write($1) }
        write(call.always)
        write(call.fixedArguments) { $0.write(Int64($1)) }
    }

    private mutating func write(_ type: ForeignType) {
        switch type {
        case .structure(let fields):
            write(ForeignType.structureTag)
            write(fields) { $0.write($1) }
        case .strings(let count):
            write(ForeignType.stringsTag)
            write(count) { $0.write(Int64($1)) }
        default:
            write(UInt8(clamping: ForeignType.plain.firstIndex(of: type) ?? 0))
        }
    }

    private mutating func write(_ value: ForeignValue) {
        switch value {
        case .integer(let type, let integer):
            write(ValueTag.integer)
            write(type)
            write(integer)
        case .real(let type, let real):
            write(ValueTag.real)
            write(type)
            write(real)
        case .string(let text):
            write(ValueTag.string)
            write(text)
        case .null:
            write(ValueTag.null)
        case .inputBytes(let bytes):
            write(ValueTag.inputBytes)
            write(bytes)
        case .inputFile(let path):
            write(ValueTag.inputFile)
            write(path)
        case .outputBuffer(let capacity, let save):
            write(ValueTag.outputBuffer)
            write(capacity)
            write(save) { writer, save in
                writer.write(save.path)
                writer.write(save.length) { $0.write($1) }
            }
        case .pointerTo(let pointee):
            write(ValueTag.pointerTo)
            write(pointee)
        case .structure(let fields):
            write(ValueTag.structure)
            write(fields) { $0.write($1) }
        case .reference(let name):
            write(ValueTag.reference)
            write(name)
        case .addressOf(let name):
            write(ValueTag.addressOf)
            write(name)
        case .field(let name, let path):
            write(ValueTag.field)
            write(name)
            write(path) { $0.write(Int64($1)) }
        case .lengthOf(let name, let type):
            write(ValueTag.lengthOf)
            write(name)
            write(type)
        case .callback(let callback):
            write(ValueTag.callback)
            write(callback)
        }
    }

    private mutating func write(_ callback: ForeignCallback) {
        write(callback.parameters) { $0.write($1) }
        write(callback.returns)
        write(callback.value)
        write(callback.valueWhenExpired) { $0.write($1) }
        write(callback.log)
    }

    private mutating func write(_ success: ForeignSuccess) {
        switch success {
        case .zero: write(SuccessTag.zero)
        case .nonZero: write(SuccessTag.nonZero)
        case .equals(let value): write(SuccessTag.equals, value)
        case .notEquals(let value): write(SuccessTag.notEquals, value)
        case .atLeast(let value): write(SuccessTag.atLeast, value)
        case .lessThan(let value): write(SuccessTag.lessThan, value)
        case .errno: write(SuccessTag.errno)
        }
    }

    private mutating func write(_ tag: SuccessTag, _ value: Int64) {
        write(tag)
        write(value)
    }

    private mutating func write(_ tag: some RawRepresentable<UInt8>) {
        write(tag.rawValue)
    }
}

extension WireReader {
    /// Reads a program. What comes from it is bounded in depth and count (`ForeignLimits`), and
    /// otherwise unchecked: ask `problems()`.
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
            ForeignType.plain[Int(tag)]
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

    private mutating func readIndex() throws(WireError) -> Int {
        Int(try read(Int64.self))
    }

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
    /// The types that are their tag: the position here. Only ever appended to.
    fileprivate static let plain: [ForeignType] = [
        .void, .i8, .u8, .i16, .u16, .i32, .u32, .i64, .u64, .f32, .f64, .pointer, .string,
    ]
    fileprivate static let structureTag: UInt8 = 100
    fileprivate static let stringsTag: UInt8 = 101
}

/// The byte that stands for a kind of value; only ever appended to.
private enum ValueTag: UInt8 {
    case integer, real, string, null, inputBytes, inputFile, outputBuffer, pointerTo, structure
    case reference, field, lengthOf, callback, addressOf
}

/// The byte that stands for a condition of success; only ever appended to.
private enum SuccessTag: UInt8 {
    case zero, nonZero, equals, notEquals, atLeast, lessThan, errno
}
