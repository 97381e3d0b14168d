// SPDX-License-Identifier: Apache-2.0

/// Bytes of a file with their numbers, in the byte order of this process. Offsets outside are a
/// programming error and trap: the size of a table is checked before it is read.
struct ELFBytes {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var count: Int { bytes.count }

    subscript(offset: Int) -> UInt8 { bytes[offset] }

    func uint16(_ offset: Int) -> UInt16 { load(offset) }
    func uint32(_ offset: Int) -> UInt32 { load(offset) }
    func uint64(_ offset: Int) -> UInt64 { load(offset) }

    /// The NUL-terminated string at `offset`; nil if it is outside, or has no NUL within `limit` bytes:
    /// overlapping strings could otherwise make a small file cost gigabytes.
    func string(at offset: UInt64, limit: Int) -> String? {
        guard offset < UInt64(bytes.count) else { return nil }
        let tail = bytes[Int(offset)...].prefix(limit)
        guard let end = tail.firstIndex(of: 0) else { return nil }
        return String(decoding: tail[..<end], as: UTF8.self)
    }

    /// Whether the NUL-terminated string at `offset` is `name`.
    func holds(_ name: String, at offset: UInt64) -> Bool {
        guard offset < UInt64(bytes.count) else { return false }
        let tail = bytes[Int(offset)...]
        let length = name.utf8.count
        // fits: both are sizes in memory
        return tail.count > length && tail[tail.startIndex + length] == 0
            && tail.starts(with: name.utf8)
    }

    private func load<Number: FixedWidthInteger & BitwiseCopyable>(_ offset: Int) -> Number {
        bytes.withUnsafeBytes { raw in
            precondition(offset >= 0 && offset <= raw.count - MemoryLayout<Number>.size)
            return raw.loadUnaligned(fromByteOffset: offset, as: Number.self)
        }
    }
}
