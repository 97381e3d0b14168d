// SPDX-License-Identifier: Apache-2.0

/// The identifiers of code without literals and comments.
enum CodeWords {
    static func words(of text: String) -> Set<String> {
        var words: Set<String> = []
        forEach(in: Array(text.utf8)) { start, end, bytes in
            words.insert(String(decoding: bytes[start..<end], as: UTF8.self))
        }
        return words
    }

    /// Calls as `NAME(` and the label of their first argument, and `TYPE.init` passed as a function.
    static func calls(of lines: [String]) -> Set<String> {
        var calls: Set<String> = []
        for (index, line) in lines.enumerated() where line.utf8.contains(UInt8(ascii: "(")) {
            let next = index + 1 < lines.count ? lines[index + 1] : ""
            let bytes = Array(line.utf8)
            let all = line.hasSuffix("(") ? bytes + Array(next.utf8) : bytes
            forEach(in: bytes) { start, end, _ in
                guard end < all.count else { return }
                let name = String(decoding: all[start..<end], as: UTF8.self)
                if all[end] == UInt8(ascii: "(") {
                    calls.insert(name + "(" + label(in: all, from: end + 1))
                }
                let rest = String(decoding: all[end...].prefix(6), as: UTF8.self)
                if rest.hasPrefix(".init"), !rest.hasSuffix("(") { calls.insert(name + ".init") }
            }
        }
        return calls
    }

    private static func label(in bytes: [UInt8], from place: Int) -> String {
        var end = place
        while end < bytes.count, isOfWord(bytes[end]) { end += 1 }
        guard end < bytes.count, bytes[end] == UInt8(ascii: ":") else { return "" }
        return String(decoding: bytes[place..<end], as: UTF8.self)
    }

    private static func forEach(in bytes: [UInt8], _ body: (Int, Int, [UInt8]) -> Void) {
        var start = 0
        while start < bytes.count {
            guard isOfWord(bytes[start]) else {
                start += 1
                continue
            }
            var end = start
            while end < bytes.count, isOfWord(bytes[end]) { end += 1 }
            body(start, end, bytes)
            start = end
        }
    }

    private static func isOfWord(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x5F, 0x61...0x7A: true
        default: byte >= 0x80
        }
    }
}
