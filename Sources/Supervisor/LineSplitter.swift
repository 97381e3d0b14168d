// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Splits a byte stream into lines and limits the bytes of each.
struct LineSplitter {
    private let limit: Int
    private var line: [UInt8] = []

    init(limit: Int) { self.limit = limit }

    /// Calls `body` with every line that ends in `bytes`.
    mutating func add(_ bytes: UnsafeRawBufferPointer, _ body: (String) -> Void) {
        var rest = bytes[...]
        while let end = Self.newline(in: rest) {
            keep(rest[..<end])
            flush(body)
            rest = rest[(end + 1)...]
        }
        keep(rest)
    }

    private static func newline(in part: Slice<UnsafeRawBufferPointer>) -> Int? {
        guard let start = part.base.baseAddress,
            let found = memchr(
                start + part.startIndex, Int32(clamping: UInt8(ascii: "\n")), part.count)
        else { return nil }
        return UnsafeRawPointer(found) - start
    }

    /// Calls `body` with an unterminated last line, if there is one.
    mutating func finish(_ body: (String) -> Void) { if !line.isEmpty { flush(body) } }

    private mutating func keep(_ part: Slice<UnsafeRawBufferPointer>) {
        line.append(contentsOf: part.prefix(limit - line.count))
    }

    private mutating func flush(_ body: (String) -> Void) {
        body(String(decoding: line, as: UTF8.self))
        line.removeAll(keepingCapacity: true)
    }
}
