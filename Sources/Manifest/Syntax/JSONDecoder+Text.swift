// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

extension JSONDecoder {
    /// Decodes a JSON text. For all JSON that others write, in place of `decode(_:from:)`: that ends the
    /// process when the text ends with the bracket of its 513th level, because the error has no place
    /// in the text. A blank at the end gives it one.
    package func decode<Value: Decodable>(
        _ type: Value.Type, text: some Sequence<UInt8>
    ) throws -> Value {
        var data = Data(text)
        data.append(UInt8(ascii: "\n"))
        return try decode(type, from: data)
    }
}
