// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation

struct JSONOption: ParsableArguments {
    @Flag(help: "Print JSON.")
    var json = false
}

/// Prints values as JSON, keys sorted, so that the same state prints the same bytes.
enum JSONOutput {
    static func text(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
