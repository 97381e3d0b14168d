// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunManifest
import FoundationEssentials

struct JSONOption: ParsableArguments {
    @Flag(help: "Print JSON.")
    var json = false
}

/// Prints values as JSON, keys sorted, so that the same state prints the same bytes.
enum JSONOutput {
    static func text(_ value: some Encodable) throws -> String {
        try text(value, [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
    }

    /// The same without line breaks.
    static func line(_ value: some Encodable) throws -> String {
        try text(value, [.sortedKeys, .withoutEscapingSlashes])
    }

    /// Prints `line`; skips a value that cannot be encoded.
    static func printLine(_ value: some Encodable) {
        if let text = try? line(value) { print(text) }
    }

    private static func text(
        _ value: some Encodable, _ formatting: JSONEncoder.OutputFormatting
    ) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting
        encoder.dateEncodingStrategy = .iso8601
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}

extension JSONValue {
    /// An object without the members that are nil.
    static func members(_ members: KeyValuePairs<String, JSONValue?>) -> JSONValue {
        var object: [String: JSONValue] = [:]
        for (name, value) in members { object[name] = value }
        return .object(object)
    }

    static func count(_ number: Int) -> JSONValue { .integer(Int64(number)) }

    static func strings(_ values: [String]) -> JSONValue { .array(values.map(JSONValue.string)) }
}
