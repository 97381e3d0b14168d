// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// A JSON value (RFC 8259) of unknown structure.
package enum JSONValue: Equatable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// Above `Int64.max`.
    case unsigned(UInt64)
    case number(Double)
    /// An integer of more than 64 bits.
    case decimal(Decimal)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// Reads a JSON text; nil if it is malformed, or nested deeper than `JSONDecoder` allows (512).
    package init?(_ text: some Sequence<UInt8>) {
        guard let value = try? JSONDecoder().decode(Self.self, text: text) else { return nil }
        self = value
    }

    /// The JSON text, with sorted keys; nil if it is nested too deeply for writing, whose limit is lower
    /// than that of reading.
    package var text: String? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) }
    }

    package var object: [String: JSONValue]? {
        if case .object(let members) = self { members } else { nil }
    }

    package var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The value of a number without a fraction.
    package var integer: Int? {
        switch self {
        case .integer(let number): Int(exactly: number)
        case .number(let number): Int(exactly: number)
        default: nil
        }
    }
}

extension JSONValue: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([String: JSONValue].self) {
            self = .object(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(UInt64.self) {
            self = .unsigned(value)
        } else {
            let value = try container.decode(Double.self)
            let isLong = value.magnitude >= 0x1p63 && value == value.rounded()
            let digits = isLong ? try? container.decode(Decimal.self) : nil
            self = digits.map(JSONValue.decimal) ?? .number(value)
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .unsigned(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .decimal(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}
