// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The receive buffer of a peer, read line by line. Examines each byte once. Removes read bytes before they
/// outnumber the unread ones.
struct LineInput {
    private(set) var bytes: [UInt8] = []
    /// The start of the next line.
    private var begin = 0
    /// No line ends before this offset.
    private var searched = 0

    /// The number of unread bytes.
    var count: Int { bytes.count - begin }

    mutating func append(_ chunk: some Collection<UInt8>) {
        if begin >= count {
            bytes.removeFirst(begin)
            searched -= begin
            begin = 0
        }
        bytes.append(contentsOf: chunk)
    }

    /// The next line without its line feed; skips empty lines. Nil: more bytes are needed.
    mutating func next() -> [UInt8]? {
        while let end = endOfLine() {
            let line = bytes[begin..<end]
            begin = end + 1
            searched = begin
            if !line.isEmpty { return Array(line) }
        }
        bytes.removeFirst(begin)
        (begin, searched) = (0, bytes.count)
        return nil
    }

    private func endOfLine() -> Int? {
        bytes.withUnsafeBytes { all in
            guard searched < all.count, let start = all.baseAddress,
                let end = memchr(start + searched, 10, all.count - searched)
            else { return nil }
            return UnsafeRawPointer(end) - start
        }
    }
}
