// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol

/// The format of a journal file: a heading, then blocks. A block holds the records of one round of
/// the host's loop and is written at once:
///
///     length: u32   ~length: u32   digest: u64   records: length bytes   length: u32
///
/// Integers are little-endian. The length occurs three times to distinguish a truncated block from a
/// changed one, and to check the end of a file without reading it all.
enum JournalFile {
    /// Raised if an older bgrun could not read the files of this one; `FormatTests` detect that.
    static let format: UInt8 = 7
    /// The formats this bgrun reads.
    static let readable: ClosedRange<UInt8> = 5...format
    static let heading = heading(of: format)

    static func heading(of format: UInt8) -> [UInt8] { Array("bgrunjl".utf8) + [format] }
    static let blockHeading = 16
    static let blockOverhead = blockHeading + 4

    /// The bytes before the records of a block.
    static func heading(of records: [UInt8]) -> [UInt8] {
        var writer = WireWriter()
        writer.put(UInt32(records.count), ~UInt32(records.count), Digest.of(records))
        return writer.bytes
    }

    /// The next item of a file.
    enum Next: Equatable {
        /// The records of a whole block, and the position of the block after it.
        case block(Range<Int>, next: Int)
        /// The end of the file, or the beginning of a truncated block.
        case end(isTorn: Bool)
        case damaged
    }

    /// The block at `offset` of `bytes`.
    static func next(_ bytes: [UInt8], at offset: Int) -> Next {
        let left = bytes.count - offset
        if left == 0 { return .end(isTorn: false) }
        guard left >= blockHeading else { return .end(isTorn: true) }
        let length = bytes.integer(UInt32.self, at: offset)
        guard length == ~bytes.integer(UInt32.self, at: offset + 4) else {
            return isZero(bytes, from: offset + blockHeading) ? .end(isTorn: true) : .damaged
        }
        // fits: 32 bits
        let end = offset + blockHeading + Int(length)
        guard end + 4 <= bytes.count else { return .end(isTorn: true) }
        let records = offset + blockHeading..<end
        let digest = bytes.withUnsafeBytes { Digest.of(.init(rebasing: $0[records])) }
        let trailer = bytes.integer(UInt32.self, at: end)
        guard trailer == length else {
            return isBeginning(trailer, of: length) && isZero(bytes, from: end + 4)
                ? .end(isTorn: true) : .damaged
        }
        guard digest == bytes.integer(UInt64.self, at: offset + 8) else { return .damaged }
        return .block(records, next: end + 4)
    }

    /// Whether only the first bytes of `whole` were written, and the others are zero.
    private static func isBeginning(_ value: UInt32, of whole: UInt32) -> Bool {
        (0..<4).contains { value == whole & (1 << (8 * $0) - 1) }
    }

    /// After a power cut, a file may have its final size, with zeros in place of unwritten bytes.
    static func isZero(_ bytes: [UInt8], from offset: Int) -> Bool {
        bytes[offset...].allSatisfy { $0 == 0 }
    }
}

extension [UInt8] {
    init(le value: some FixedWidthInteger) {
        self = Swift.withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }

    func integer<Value: FixedWidthInteger>(_ type: Value.Type, at offset: Int) -> Value {
        withUnsafeBytes {
            Value(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Value.self))
        }
    }
}
