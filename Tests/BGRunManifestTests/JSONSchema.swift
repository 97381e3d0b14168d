// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

@testable import BGRunManifest

/// The JSON Schema (draft 2020-12) of the manifest. `bgrun lint` checks more than a schema can.
enum JSONSchema {
    /// The text of manifests/bgrun-manifest-1.schema.json.
    static func text() throws -> String {
        var definitions = Definitions()
        var schema = definitions.object(Section.root)
        definitions.addReferenced()
        schema["$schema"] = .string("https://json-schema.org/draft/2020-12/schema")
        schema["title"] = .string("bgrun manifest, version 1")
        schema["$defs"] = .object(definitions.schemas)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(JSONValue.object(schema)), as: UTF8.self) + "\n"
    }
}

/// The definitions that other parts of the schema refer to.
private struct Definitions {
    var schemas: [String: JSONValue] = [:]
    private var waiting: [(name: String, section: Section)] = []

    /// Definitions refer to each other; each is written after the first reference to it.
    mutating func addReferenced() {
        while let (name, section) = waiting.popLast() {
            if schemas[name] == nil { schemas[name] = .object(object(section)) }
        }
    }

    mutating func object(_ section: Section) -> [String: JSONValue] {
        var properties: [String: JSONValue] = [:]
        for key in section.keys {
            var schema = schema(of: key.form)
            schema["description"] = .string(key.description)
            properties[key.name] = .object(schema)
        }
        var object: [String: JSONValue] = [
            "type": .string("object"), "additionalProperties": .bool(false),
            "properties": .object(properties),
        ]
        if !section.required.isEmpty { object["required"] = .strings(section.required) }
        if !section.choices.isEmpty {
            object["oneOf"] = .array(
                section.choices.map { choice in
                    var schema: [String: JSONValue] = ["required": .strings([choice.key])]
                    if !choice.others.isEmpty {
                        schema["properties"] = .object(
                            choice.others.mapValues { .object(self.schema(of: $0)) })
                    }
                    return .object(schema)
                })
        }
        if section.isNeverEmpty { object["minProperties"] = .integer(1) }
        if !section.requiredWith.isEmpty {
            object["dependentRequired"] = .object(section.requiredWith.mapValues { .strings([$0]) })
        }
        return object
    }

    private mutating func schema(of form: Form) -> [String: JSONValue] {
        switch form {
        case .any: [:]
        case .null: ["type": .string("null")]
        case .flag: ["type": .string("boolean")]
        case .real: ["type": .string("number")]
        case .path: ["type": .string("string"), "minLength": .integer(1)]
        case .text(let pattern, let longest):
            ["type": .string("string")].merging(limits(of: pattern, longest)) { _, new in new }
        case .anyText: ["type": .string("string")]
        case .digits(let pattern):
            ["type": .strings(["string", "integer"])].merging(
                pattern.map { ["pattern": .string($0)] } ?? [:]
            ) { _, new in new }
        case .verbatim(let pattern):
            ["type": .strings(["string", "number", "boolean"])].merging(
                pattern.map { ["pattern": .string($0)] } ?? [:]
            ) { _, new in new }
        case .integer(let range):
            [
                "type": .string("integer"), "minimum": .integer(range.lowerBound),
                "maximum": .integer(range.upperBound),
            ]
        case .unsigned:
            ["type": .string("integer"), "minimum": .integer(0), "maximum": .unsigned(.max)]
        case .percentage: reference("percentage", ["pattern": .string("^0*([0-9]{1,2}|100)%$")])
        case .duration:
            reference(
                "duration",
                [
                    "pattern": .string(
                        "^(?=.)([0-9]+w)?([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?([0-9]+ms)?$")
                ])
        case .size, .sizeOrNone:
            reference("size", ["pattern": .string("^[0-9]+(B|kB|MB|GB|KiB|MiB|GiB)$")])
        case .words(let words): ["enum": .strings(words)]
        case .list(let form, let count, let isUnique):
            list(of: form, count, isUnique)
        case .mapping(let names, let values):
            [
                "type": .string("object"), "propertyNames": .object(schema(of: names)),
                "additionalProperties": .object(schema(of: values)),
            ]
        case .section(let section): reference(to: section())
        case .either(let forms): ["anyOf": .array(forms.map { .object(schema(of: $0)) })]
        case .named(let name, let form): named(name, form)
        }
    }

    private func limits(of pattern: String?, _ longest: Int?) -> [String: JSONValue] {
        var limits: [String: JSONValue] = [:]
        if pattern == nil { limits["minLength"] = .integer(1) }
        if let pattern { limits["pattern"] = .string(pattern) }
        if let longest { limits["maxLength"] = .integer(Int64(longest)) }
        return limits
    }

    private mutating func list(
        of form: Form, _ count: ClosedRange<Int>?, _ isUnique: Bool
    ) -> [String: JSONValue] {
        var list: [String: JSONValue] = [
            "type": .string("array"), "items": .object(schema(of: form)),
        ]
        if isUnique { list["uniqueItems"] = .bool(true) }
        if let count, count.lowerBound > 0 { list["minItems"] = .integer(Int64(count.lowerBound)) }
        if let count, count.upperBound < Int.max {
            list["maxItems"] = .integer(Int64(count.upperBound))
        }
        return list
    }

    private mutating func named(_ name: String, _ form: Form) -> [String: JSONValue] {
        if schemas[name] == nil {
            schemas[name] = .object([:])  // It may refer to itself.
            schemas[name] = .object(schema(of: form))
        }
        return ["$ref": .string("#/$defs/\(name)")]
    }

    /// A quantity, which is text.
    private mutating func reference(
        _ name: String, _ schema: [String: JSONValue]
    ) -> [String: JSONValue] {
        schemas[name] = .object(schema.merging(["type": .string("string")]) { first, _ in first })
        return ["$ref": .string("#/$defs/\(name)")]
    }

    private mutating func reference(to section: Section) -> [String: JSONValue] {
        let name = section.id
        waiting.append((name, section))
        return ["$ref": .string("#/$defs/\(name)")]
    }
}

extension JSONValue {
    fileprivate static func strings(_ texts: [String]) -> JSONValue {
        .array(texts.map(JSONValue.string))
    }
}
