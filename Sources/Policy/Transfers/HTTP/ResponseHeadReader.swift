// SPDX-License-Identifier: Apache-2.0

/// Reads the header of a response line by line, as libcurl passes it on.
package struct ResponseHeadReader: Sendable {
    /// Whether the header of the response has ended; later lines are ignored.
    package private(set) var isComplete = false
    private var head: ResponseHead?

    /// The maximum number of header fields; further ones are ignored.
    package static let mostFields = 200

    package init() {}

    /// Takes a line, with or without its line break; returns the header at the last, empty line. Drops interim
    /// responses (1xx).
    package mutating func take(_ bytes: UnsafeRawBufferPointer) -> ResponseHead? {
        guard !isComplete else { return nil }
        var line = String(decoding: bytes, as: UTF8.self)[...]
        while let last = line.unicodeScalars.last, last == "\r" || last == "\n" {
            line.unicodeScalars.removeLast()
        }
        if line.hasPrefix("HTTP/") {
            let words = line.split(separator: " ")
            head = ResponseHead(status: words.count > 1 ? Int(words[1]) ?? 0 : 0)
        } else if line.isEmpty {
            guard let head, head.status >= 200 else { return nil }
            isComplete = true
            return head
        } else if let colon = line.firstIndex(of: ":"), let count = head?.fields.count,
            count < Self.mostFields
        {
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            head?.add(String(line[..<colon]), String(value))
        }
        return nil
    }
}
