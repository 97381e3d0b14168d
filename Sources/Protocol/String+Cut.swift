// SPDX-License-Identifier: Apache-2.0

extension String {
    /// At most this many bytes, truncated at a character boundary.
    package func cut(to bytes: Int) -> String {
        guard utf8.count > bytes else { return self }
        // A slice rounds its end down to a Unicode scalar.
        return String(self[..<utf8.index(utf8.startIndex, offsetBy: bytes)])
    }
}
