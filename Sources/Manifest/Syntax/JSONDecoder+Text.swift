// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

extension JSONDecoder {
    /// Decodes a JSON text from another program. `decode(_:from:)` must not be used for that: it ends
    /// the process if the text ends with the bracket of its 513th level, because the error has no place
    /// in the text. A blank at the end provides one.
    package func decode<Value: Decodable>(
        _ type: Value.Type, text: some Sequence<UInt8>
    ) throws -> Value {
        var data = Data(text)
        data.append(UInt8(ascii: "\n"))
        return try decode(type, from: data)
    }
}
