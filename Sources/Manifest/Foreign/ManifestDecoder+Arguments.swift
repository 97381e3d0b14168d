// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol

/// The arguments of a function.
extension ManifestDecoder {
    /// The keys that contain the value; exactly one must be present.
    private static let valueKeys = Section.value.choices.map(\.key)

    func decodeArgument(_ field: Field) -> (name: String?, placed: PlacedArgument)? {
        if let scalar = field.scalar, scalar.value == .text {
            return decodeString(field).map {
                (nil, PlacedArgument(value: PlacedValue(value: $0, span: field.node.span)))
            }
        }
        if field.scalar?.value == .null {
            return (nil, PlacedArgument(value: PlacedValue(value: .null, span: field.node.span)))
        }
        guard let fields = valueFields(field) else { return nil }
        let name = fields["name"].map(decodeName)
        guard let value = decodeValue(fields, field, depth: 0) else { return nil }
        if case .some(.none) = name { return nil }
        return (name ?? nil, PlacedArgument(name: fields["name"]?.node.span, value: value))
    }

    private func valueFields(_ field: Field) -> Fields? {
        if let scalar = field.scalar {
            let remedy =
                switch scalar.value {
                case .bool(let value): "write `{u8: \(value ? 1 : 0)}`, the bool of C"
                case .real, .notFinite: "write `{f64: \(scalar.text)}`"
                default: "write its type, for example `{i32: 9}`"
                }
            return bag.refuse(
                .missingType, at: field.node.span, "\(quoted(scalar.text)) needs a type",
                help: remedy)
        }
        return Fields(field, .value, bag, "{i32: 9}")
    }

    private func decodeNested(_ field: Field, depth: Int) -> PlacedValue? {
        guard let fields = valueFields(field) else { return nil }
        if let name = fields["name"] {
            bag.error(
                .badCall, at: name.span, "only an argument itself can have a name",
                help: "write `name` beside `pointer_to` or `struct`; `field` reaches inside")
        }
        return decodeValue(fields, field, depth: depth)
    }

    private func decodeValue(_ fields: Fields, _ field: Field, depth: Int) -> PlacedValue? {
        let present = fields.present(Self.valueKeys)
        if present.isEmpty, fields.misspells(Self.valueKeys) { return nil }
        guard present.count == 1, let value = present.first else {
            return bag.refuse(
                .notOneValue, at: present.dropFirst().first?.span ?? field.node.span,
                present.isEmpty
                    ? "the argument does not say what is passed"
                    : "the argument has \(listed(present.map(\.name)))",
                help: "write one of them, for example `{i32: 9}`; Docs/manifest.md lists them")
        }
        for (key, owner) in [("field", "value_of"), ("type", "length_of")] {
            guard let stray = fields[key], value.name != owner else { continue }
            bag.error(
                .badCall, at: stray.span, "`\(key)` belongs to `\(owner)`, which is not here",
                help: "drop `\(key)`")
        }
        switch value.name {
        case "string" where value.scalar?.value == .null:
            return PlacedValue(value: .integer(.string, 0), span: value.span)
        case "pointer" where value.scalar?.value == .null:
            return PlacedValue(value: .null, span: value.span)
        case "buffer": return decodeBuffer(value)
        case "pointer_to": return decodePointer(value, depth: depth)
        case "struct": return decodeStruct(value, depth: depth)
        case "value_of": return decodeReference(value, field: fields["field"])
        case "callback": return decodeCallback(value)
        default:
            return decodePlain(value, type: fields["type"]).map {
                PlacedValue(value: $0, span: value.node.span)
            }
        }
    }

    /// A value whose problems are at the value itself.
    private func decodePlain(_ field: Field, type: Field?) -> ForeignValue? {
        switch field.name {
        case "f32": decodeReal(field, .f32)
        case "f64": decodeReal(field, .f64)
        case "string": decodeString(field)
        case "bytes":
            bag.verbatim(field, example: "bytes: \"text\"").map { .inputBytes(Array($0.utf8)) }
        case "hex": decodeHex(field)
        case "file":
            bag.text(field, example: "file: in.txt").map { .inputFile(base.resolve($0)) }
        case "address_of": decodeName(field).map { .addressOf($0) }
        case "length_of": decodeLength(field, type: type)
        default: decodeInteger(field)
        }
    }

    private func decodeInteger(_ field: Field) -> ForeignValue? {
        guard let type = Self.scalarTypes.first(where: { $0.name == field.name })?.word,
            let range = type.range
        else { return nil }
        let integer: Int64? =
            switch type {
            case .u64, .pointer:
                bag.integer(field, in: UInt64.min...UInt64.max).map { Int64(bitPattern: $0) }
            default: bag.integer(field, in: range)
            }
        return integer.map { .integer(type, $0) }
    }

    private func decodeReal(_ field: Field, _ type: ForeignType) -> ForeignValue? {
        guard let real = field.scalar?.real else {
            return bag.refuseType(field, expected: "a number", help: "write `\(field.name): 0.5`")
        }
        return .real(type, real)
    }

    private func decodeString(_ field: Field) -> ForeignValue? {
        if let scalar = field.scalar, scalar.text.isEmpty, scalar.value == .text {
            return .string("")
        }
        return bag.text(field, example: "string: text").map { .string($0) }
    }

    private func decodeHex(_ field: Field) -> ForeignValue? {
        guard let text = bag.verbatim(field, example: "hex: 00ff7a") else { return nil }
        let digits = text.filter { $0 != " " }.compactMap(\.hexDigitValue)
        guard digits.count % 2 == 0, digits.count == text.count(where: { $0 != " " }) else {
            return bag.refuse(
                .badCall, at: field.node.span, "\(quoted(text)) is not hexadecimal",
                help: "write two hexadecimal digits for each byte: `hex: 00ff7a`")
        }
        let bytes = stride(from: 0, to: digits.count, by: 2).map { (first: Int) -> UInt8 in
            UInt8(digits[first] * 16 + digits[first + 1])  // fits: two digits
        }
        return .inputBytes(bytes)
    }

    private func decodeBuffer(_ field: Field) -> PlacedValue? {
        let sizes = 1...Int64(ForeignLimits.bufferBytes)
        var (capacity, saving): (Field?, Field?) = (field, nil)
        if field.scalar == nil {
            let example = "buffer: {capacity: 1MiB, save: out.z}"
            guard let fields = Fields(field, .buffer, bag, example) else { return nil }
            (capacity, saving) = (fields["capacity"], fields["save"])
        }
        guard let capacity, let size = bag.size(capacity, in: sizes) else { return nil }
        let save = saving.flatMap(decodeSave)
        if saving != nil, save == nil { return nil }
        return PlacedValue(
            value: .outputBuffer(capacity: UInt64(clamping: size), save: save?.save),
            span: capacity.node.span, length: save?.length)
    }

    private func decodeSave(_ field: Field) -> (save: ForeignSave, length: SourceSpan?)? {
        if field.scalar != nil {
            return bag.text(field, example: "save: out.z").map {
                (ForeignSave(path: base.resolve($0)), nil)
            }
        }
        let example = "save: {path: out.z, length: n}"
        guard let fields = Fields(field, .save, bag, example),
            let path = fields["path"].flatMap({ bag.text($0, example: "path: out.z") })
        else { return nil }
        let length = fields["length"].map(decodeName)
        if case .some(.none) = length { return nil }
        return (
            ForeignSave(path: base.resolve(path), length: length ?? nil),
            fields["length"]?.node.span
        )
    }

    private func decodePointer(_ field: Field, depth: Int) -> PlacedValue? {
        guard checkNesting(field, depth) else { return nil }
        guard field.scalar == nil else {
            return decodeType(field, in: .pointee).map {
                PlacedValue(value: .pointerTo($0, initial: 0), span: field.node.span)
            }
        }
        return decodeNested(field, depth: depth + 1).map {
            PlacedValue(value: .pointerTo($0.value), span: field.node.span, parts: [$0])
        }
    }

    private func decodeStruct(_ field: Field, depth: Int) -> PlacedValue? {
        let example = "struct: [{i32: 1}, {f64: 0.5}]"
        guard let items = structItems(of: field, depth: depth, example: example) else { return nil }
        let parts = items.compactMap { decodeNested($0, depth: depth + 1) }
        guard parts.count == items.count else { return nil }
        return PlacedValue(
            value: .structure(parts.map(\.value)), span: field.node.span, parts: parts)
    }

    private func decodeReference(_ field: Field, field path: Field?) -> PlacedValue? {
        guard let name = decodeName(field) else { return nil }
        guard let path else { return PlacedValue(value: .reference(name), span: field.node.span) }
        var items = [path]
        if case .sequence = path.node.content { items = bag.items(of: path, example: "field: 0") }
        let positions = items.compactMap { bag.integer($0, in: 0...ForeignLimits.fields - 1) }
        guard positions.count == items.count else { return nil }
        return PlacedValue(value: .field(name, positions), span: path.node.span)
    }

    private func decodeLength(_ field: Field, type: Field?) -> ForeignValue? {
        let type = type.map { decodeType($0, in: .length) } ?? .u64
        guard let name = decodeName(field), let type else { return nil }
        return .lengthOf(name, type)
    }

    private func decodeCallback(_ field: Field) -> PlacedValue? {
        let example = "callback: {parameters: [pointer, i32], returns: i32, value: 0}"
        guard let fields = Fields(field, .callback, bag, example) else { return nil }
        let parameters = fields["parameters"].map(decodeParameterTypes) ?? []
        let returns = fields["returns"].map { decodeType($0, in: .callbackResult) } ?? .void
        let log = fields["log"].map(bag.bool) ?? false
        guard let parameters, let returns, let log else { return nil }
        let range = returns.range ?? Int64.min...Int64.max
        let value = fields["value"].map { bag.integer($0, in: range) } ?? 0
        let expired = fields["value_when_expired"].map { bag.integer($0, in: range) }
        guard let value else { return nil }
        if case .some(.none) = expired { return nil }
        return PlacedValue(
            value: .callback(
                ForeignCallback(
                    parameters: parameters, returns: returns, value: value,
                    valueWhenExpired: expired ?? nil, log: log)),
            span: field.span)
    }

    private func decodeParameterTypes(_ field: Field) -> [ForeignType]? {
        let items = bag.items(of: field, example: "parameters: [pointer, i32]")
        guard case .sequence = field.node.content else { return nil }
        guard items.count <= ForeignLimits.fields else {
            return bag.refuse(
                .outOfRange, at: field.span, "a callback cannot have \(items.count) parameters",
                help: "write at most \(ForeignLimits.fields)")
        }
        let types = items.compactMap { decodeType($0, in: .parameter) }
        guard types.count == items.count else { return nil }
        for (type, item) in zip(types, items) {
            guard case .strings(let count?) = type else { continue }
            guard types.indices.contains(count), types[count].isInteger else {
                return bag.refuse(
                    .outOfRange, at: item.node.span,
                    "strings are counted by parameter \(count), which is not an integer parameter",
                    help: "write the position, from 0, of the parameter that holds the count")
            }
        }
        return types
    }
}
