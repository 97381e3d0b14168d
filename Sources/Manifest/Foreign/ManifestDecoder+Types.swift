// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol

/// C types.
extension ManifestDecoder {
    /// The use of a type, which limits the valid types.
    enum TypePlace {
        /// The result of a function: also void.
        case result
        /// The result of a callback: no struct.
        case callbackResult
        /// A parameter of a callback: also strings.
        case parameter
        case pointee
        case length
        case structField
    }

    static let scalarTypes: [(name: String, word: ForeignType)] = [
        .i8, .u8, .i16, .u16, .i32, .u32, .i64, .u64, .f32, .f64, .pointer, .string,
    ].map { ($0.description, $0) }

    func decodeType(_ field: Field, in place: TypePlace, depth: Int = 0) -> ForeignType? {
        if case .mapping = field.node.content, place.allowsStruct || place == .parameter {
            return decodeCompoundType(field, in: place, depth: depth)
        }
        guard let scalar = field.scalar, scalar.value == .text else {
            return bag.refuseType(
                field, expected: "a type", help: "write a type, for example `i32`")
        }
        let types = place.types
        if let match = types.first(where: { $0.name == scalar.text }) { return match.word }
        let names = types.map(\.name)
        let nearest = Self.typesOfC[scalar.text] ?? bag.nearest(to: scalar.text, among: names)
        let isKnown =
            scalar.text == "void" || scalar.text == "strings"
            || Self.scalarTypes.contains { $0.name == scalar.text }
        return bag.refuse(
            .unknownType, at: field.node.span,
            isKnown
                ? "the type `\(scalar.text)` cannot stand here"
                : "unknown type \(quoted(scalar.text))",
            help: nearest.flatMap { names.contains($0) ? "write `\($0)`" : nil }
                ?? "the types are \(listed(names))")
    }

    private func decodeCompoundType(
        _ field: Field, in place: TypePlace, depth: Int
    ) -> ForeignType? {
        guard let fields = Fields(field, .type, bag, "{struct: [i32, f64]}") else { return nil }
        let present = fields.present(Section.type.names)
        guard present.count == 1, let compound = present.first else {
            return bag.refuse(
                .unknownType, at: field.node.span, "this is not a type",
                help: "write a type's name, or `{struct: [i32, f64]}`")
        }
        if compound.name == "strings" { return decodeStrings(compound, in: place) }
        guard let items = structItems(of: compound, depth: depth, example: "struct: [i32, f64]")
        else { return nil }
        let types = items.compactMap { decodeType($0, in: .structField, depth: depth + 1) }
        return types.count == items.count ? .structure(types) : nil
    }

    private func decodeStrings(_ field: Field, in place: TypePlace) -> ForeignType? {
        guard place == .parameter else {
            return bag.refuse(
                .unknownType, at: field.span, "only a parameter of a callback can be `strings`",
                help: "write `pointer`")
        }
        let example = "strings: {counted_by: 1}"
        guard let fields = Fields(field, .strings, bag, example) else { return nil }
        let last = ForeignLimits.fields - 1
        return fields["counted_by"].flatMap { bag.integer($0, in: 0...last) }.map {
            .strings(count: $0)
        }
    }

    /// The items of a struct type or value; limits their number and nesting.
    func structItems(of field: Field, depth: Int, example: String) -> [Field]? {
        guard case .sequence = field.node.content else {
            return bag.refuseType(field, expected: "a list", help: "write `\(example)`")
        }
        let items = bag.items(of: field, example: example)
        guard checkNesting(field, depth) else { return nil }
        guard (1...ForeignLimits.fields).contains(items.count) else {
            return bag.refuse(
                .outOfRange, at: field.node.span, "a struct cannot have \(items.count) fields",
                help: "write 1 to \(ForeignLimits.fields) fields: `\(example)`")
        }
        return items
    }

    func checkNesting(_ field: Field, _ depth: Int) -> Bool {
        guard depth >= ForeignLimits.depth else { return true }
        bag.error(
            .tooDeep, at: field.span,
            "structs and pointers are nested more than \(ForeignLimits.depth) levels deep",
            help: "pass a `pointer` that an earlier call returned instead")
        return false
    }

    private static let typesOfC = [
        "char": "i8", "short": "i16", "int": "i32", "unsigned": "u32", "unsigned int": "u32",
        "long": "i64", "unsigned long": "u64", "long long": "i64", "size_t": "u64",
        "ssize_t": "i64", "off_t": "i64", "time_t": "i64", "int8_t": "i8", "uint8_t": "u8",
        "int16_t": "i16", "uint16_t": "u16", "int32_t": "i32", "uint32_t": "u32",
        "int64_t": "i64", "uint64_t": "u64", "bool": "u8", "float": "f32", "double": "f64",
        "char*": "string", "char *": "string", "const char*": "string", "const char *": "string",
        "void*": "pointer", "void *": "pointer", "ptr": "pointer", "str": "string",
        "char**": "strings", "char **": "strings",
    ]
}

extension ManifestDecoder.TypePlace {
    fileprivate var allowsStruct: Bool {
        switch self {
        case .result, .parameter, .structField: true
        case .callbackResult, .pointee, .length: false
        }
    }

    fileprivate var types: [(name: String, word: ForeignType)] {
        let scalars = ManifestDecoder.scalarTypes
        return switch self {
        case .result, .callbackResult: [("void", .void)] + scalars
        case .parameter: scalars + [("strings", .strings(count: nil))]
        case .length: scalars.filter { $0.word.isInteger }
        case .pointee, .structField: scalars
        }
    }
}
