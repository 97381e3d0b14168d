// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Synchronization

/// A property list of unknown structure.
enum PropertyList: Equatable {
    case string(String)
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case date(Date)
    case data(Data)
    case array([PropertyList])
    case dictionary([String: PropertyList])

    /// Reads an XML, binary or OpenStep property list; nil if it is malformed.
    init?(_ data: Data) {
        let decoder = PropertyListDecoder()
        if let key = Self.count { decoder.userInfo[key] = Count() }
        guard let value = try? decoder.decode(Self.self, from: data) else { return nil }
        self = value
    }

    var dictionary: [String: PropertyList]? {
        if case .dictionary(let values) = self { values } else { nil }
    }

    var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The elements of an array that contains only strings.
    var strings: [String]? {
        guard case .array(let values) = self else { return nil }
        let strings = values.compactMap(\.string)
        return strings.count == values.count ? strings : nil
    }
}

extension PropertyList: Codable {
    /// The maximum depth, and the maximum number of values: a binary list may contain itself, or one
    /// value many times.
    private static let mostLevels = 64
    private static let mostValues = 1 << 16

    private final class Count: Sendable {
        let values = Atomic(0)
    }

    private static let count = CodingUserInfoKey(rawValue: "values")

    init(from decoder: any Decoder) throws {
        let count = Self.count.flatMap { decoder.userInfo[$0] } as? Count
        let values = count?.values.wrappingAdd(1, ordering: .relaxed).newValue ?? 0
        guard decoder.codingPath.count <= Self.mostLevels, values <= Self.mostValues else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: [], debugDescription: "too many values, or nested too deeply"))
        }
        let container = try decoder.singleValueContainer()
        if let value = try? container.decode([String: PropertyList].self) {
            self = .dictionary(value)
        } else if let value = try? container.decode([PropertyList].self) {
            self = .array(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(Date.self) {
            self = .date(value)
        } else {
            self = .data(try container.decode(Data.self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .string(let value): try container.encode(value)
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .date(let value): try container.encode(value)
        case .data(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .dictionary(let value): try container.encode(value)
        }
    }
}
