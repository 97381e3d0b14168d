// SPDX-License-Identifier: Apache-2.0

/// Removes comments and the text of string literals from lines, but keeps interpolations.
struct LiteralFilter {
    private static let (quote, escape, slash) = (
        UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/")
    )
    private static let (open, close) = (UInt8(ascii: "("), UInt8(ascii: ")"))

    private var isInText = false
    private var line: [UInt8] = []
    private var place = 0
    private var result: [UInt8] = []

    mutating func code(of text: String) -> String {
        let text = text.drop { $0 == " " }
        guard isInText || text.utf8.contains(Self.quote) || text.utf8.contains(Self.slash) else {
            return String(text)
        }
        (line, place, result) = (Array(text.utf8), 0, [])
        if isInText { isInText = !takeText(quotes: 3) }
        if !isInText { takeCode(isInner: false) }
        return String(decoding: result.drop { $0 == UInt8(ascii: " ") }, as: UTF8.self)
    }

    private func isNext(_ byte: UInt8, _ count: Int) -> Bool {
        place + count <= line.count && line[place..<place + count].allSatisfy { $0 == byte }
    }

    private mutating func takeCode(isInner: Bool) {
        var depth = 0
        while place < line.count, !isNext(Self.slash, 2) {
            let byte = line[place]
            if byte == Self.quote {
                let quotes = isNext(Self.quote, 3) ? 3 : 1
                place += quotes
                isInText = !takeText(quotes: quotes) && quotes == 3
                result += [Self.quote, Self.quote]
                continue
            }
            place += 1
            if byte == Self.close, isInner, depth == 0 { return }
            if byte == Self.open { depth += 1 } else if byte == Self.close { depth -= 1 }
            result.append(byte)
        }
    }

    /// Whether the literal ends in this line.
    private mutating func takeText(quotes: Int) -> Bool {
        while place < line.count {
            if isNext(Self.quote, quotes) {
                place += quotes
                return true
            }
            if line[place] == Self.escape, place + 1 < line.count, line[place + 1] == Self.open {
                place += 2
                result += Array(" (".utf8)
                takeCode(isInner: true)
                result += Array(") ".utf8)
            } else {
                place += line[place] == Self.escape ? 2 : 1
            }
        }
        return false
    }
}
