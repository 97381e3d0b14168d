// SPDX-License-Identifier: Apache-2.0

/// The bytes of a manifest, by line.
package struct SourceText: Sendable {
    /// The file's bytes, including its byte order mark.
    let bytes: [UInt8]
    /// The start of each line, as an offset into `bytes`.
    private let lineStarts: [Int]

    package init(bytes: [UInt8]) {
        self.bytes = bytes
        lineStarts = Self.lineStarts(of: bytes)
    }

    static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Bytes before the first character of the first line.
    var prefixLength: Int { bytes.starts(with: Self.byteOrderMark) ? Self.byteOrderMark.count : 0 }

    /// The bytes of line `number`, counted from 1, with its line break; empty past the end.
    func line(_ number: Int) -> ArraySlice<UInt8> {
        guard (1...lineStarts.count).contains(number) else { return [] }
        let end = number < lineStarts.count ? lineStarts[number] : bytes.count
        return bytes[lineStarts[number - 1]..<end]
    }

    /// Line breaks are those of libyaml, to agree with its marks: LF, CR LF, CR, NEL, LS and PS.
    private static func lineStarts(of bytes: [UInt8]) -> [Int] {
        var starts = [bytes.starts(with: byteOrderMark) ? byteOrderMark.count : 0]
        var index = starts[0]
        while index < bytes.count {
            let byte = bytes[index]
            // No other byte begins a line break; a slice for each byte would be slow.
            guard byte >= 0x80 || byte == 0x0A || byte == 0x0D else {
                index += 1  // fits: a place in the text
                continue
            }
            let length = lineBreakLength(bytes[index...].prefix(3))
            // fits: a place in the text
            index += max(1, length)
            if length > 0 { starts.append(index) }
        }
        return starts
    }

    /// The length of the line break at the start of these bytes, 0 without one.
    static func lineBreakLength(_ bytes: ArraySlice<UInt8>) -> Int {
        switch bytes.first {
        case 0x0A: 1
        case 0x0D: bytes.dropFirst().first == 0x0A ? 2 : 1
        case 0xC2: bytes.starts(with: [0xC2, 0x85]) ? 2 : 0
        case 0xE2:
            bytes.starts(with: [0xE2, 0x80, 0xA8]) || bytes.starts(with: [0xE2, 0x80, 0xA9]) ? 3 : 0
        default: 0
        }
    }
}

/// A range of a manifest, from its first character to the one after its last.
package struct SourceSpan: Equatable, Sendable {
    package var start: SourceMark
    var end: SourceMark

    /// The column after the last character; nil if the span continues on another line.
    var endColumn: Int? { start.line == end.line ? end.column : nil }
}
