// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol

/// Calls of C functions.
extension Section {
    static let call = Section("a call") {
        Key("library", .text(), isRequired: true, as: "name like `libz.so.1`, or path")
        Key(
            "function", .text(pattern: "^[A-Za-z_][A-Za-z0-9_]*$"), isRequired: true,
            as: "C identifier")
        Key(
            "args",
            .list(
                of: .either([.anyText, .null, .section(value)]),
                count: 0...ForeignLimits.arguments),
            as: "at most \(ForeignLimits.arguments) [arguments](#an-argument)")
        Key(
            "returns", .either([.words(["void"]), .type]), default: "`void`",
            as: "[type](#types), `void`")
        Key("result", .name, as: "name, for later calls")
        Key(
            "success", .either([.words(["zero", "nonzero", "errno"]), .section(success)]),
            default: "always", as: "`zero`, `nonzero`, `errno`, or [comparison](#success)")
        Key("always", .flag, default: "`false`")
        Key("fixed_args", .count(1...ForeignLimits.arguments), default: "not variadic", as: "count")
    }

    static let success = Section(
        "`success`", oneOf: ["equals", "not_equals", "at_least", "less_than"]
    ) {
        Key("equals", .wholeNumber, as: "this number")
        Key("not_equals", .wholeNumber, as: "another number")
        Key("at_least", .wholeNumber, as: "this number or more")
        Key("less_than", .wholeNumber, as: "less than this number")
    }

    static let value: Section = Section(
        "an argument",
        oneOf: [
            "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f32", "f64", "pointer", "string",
            "bytes", "hex", "file", "buffer", "pointer_to", "struct", "value_of", "address_of",
            "length_of", "callback",
        ],
        requiredWith: ["field": "value_of", "type": "length_of"]
    ) {
        Key("name", .name, as: "name, for a whole argument only")
        Key("i8", .integer(-128...127), as: "number")
        Key("u8", .integer(0...255), as: "number")
        Key("i16", .integer(-32_768...32_767), as: "number")
        Key("u16", .integer(0...65_535), as: "number")
        Key("i32", .integer(Int64(Int32.min)...Int64(Int32.max)), as: "number")
        Key("u32", .integer(0...Int64(UInt32.max)), as: "number")
        Key("i64", .wholeNumber)
        Key("u64", .unsigned)
        Key("f32", .real)
        Key("f64", .real)
        Key("pointer", .either([.unsigned, .null]), as: "number, `null`")
        Key("string", .either([.anyText, .null]), as: "text, `null`")
        Key("bytes", .verbatim())
        Key("hex", .verbatim(), as: "hexadecimal digits")
        Key("file", .path)
        Key("buffer", .either([.buffer, .section(buffer)]), as: "size, or [mapping](#a-buffer)")
        Key(
            "pointer_to", .either([.words(scalarTypes), .section(nested)]),
            as: "type, or another of these mappings")
        Key(
            "struct", .list(of: .section(nested), count: 1...ForeignLimits.fields),
            as: "list of these mappings")
        Key("value_of", .name, as: "name of an earlier argument or result")
        Key(
            "field", .either([.position, .list(of: .position)]),
            as: "with `value_of`: position from 0, or a list of them for nested structs")
        Key("address_of", .name, as: "name of an earlier argument or result")
        Key("length_of", .name, as: "name of a buffer or string")
        Key(
            "type", .words(scalarTypes.filter { $0.hasPrefix("i") || $0.hasPrefix("u") }),
            default: "`u64`", as: "with `length_of`: integer type")
        Key("callback", .section(callback), as: "[mapping](#a-callback)")
    }

    /// A value inside another has no name.
    static let nested: Section = value.without("name", id: "nested-argument")

    static let buffer = Section("`buffer`") {
        Key("capacity", .buffer, isRequired: true)
        Key("save", .either([.path, .section(save)]), as: "path, or [mapping](#saving-a-buffer)")
    }

    static let save = Section("`save`") {
        Key("path", .path, isRequired: true)
        Key("length", .name, default: "the capacity", as: "name of an integer")
    }

    static let callback = Section("`callback`") {
        Key(
            "parameters",
            .list(
                of: .either([.words(scalarTypes + ["strings"]), .section(type)]),
                count: 0...ForeignLimits.fields),
            as: "list of [types](#types)")
        Key(
            "returns", .words(["void"] + scalarTypes), default: "`void`",
            as: "type other than a struct, `void`")
        Key("value", .wholeNumber, default: "`0`")
        Key("value_when_expired", .wholeNumber, default: "`value`")
        Key("log", .flag, default: "`false`")
    }

    static let type: Section = Section(
        "a type", id: "parameter-type", oneOf: ["struct", "strings"]
    ) {
        Key("struct", .list(of: .type, count: 1...ForeignLimits.fields), as: "list of types")
        Key("strings", .section(strings), as: "[mapping](#counted-strings)")
    }

    /// Only a callback's parameter can be `strings`.
    static let structType: Section = type.without("strings", id: "struct-type")

    static let strings = Section("`strings`") {
        Key(
            "counted_by", .position, isRequired: true,
            as: "position, from 0, of the callback's integer parameter with the count")
    }

    private static let scalarTypes = ManifestDecoder.scalarTypes.map(\.name)
}

extension Form {
    fileprivate static let type: Form = named(
        "type",
        .either([.words(ManifestDecoder.scalarTypes.map(\.name)), .section(Section.structType)]))
    fileprivate static let position = Form.count(0...ForeignLimits.fields - 1)
    fileprivate static let buffer = Form.size(1...Int64(ForeignLimits.bufferBytes))
}
