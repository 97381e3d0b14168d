// SPDX-License-Identifier: Apache-2.0

import Glibc

/// An ELF shared library as bytes of a file. The file is not trusted: every table is checked against
/// the size of the file before it is read, and a file that shrinks meanwhile is an error.
///
/// Reads the 64-bit layout in the byte order of this process, which the header must have. Reads only
/// the parts that the loader uses, so that stripped files work.
struct ELFImage {
    let size: UInt64
    private let descriptor: Int32
    private let segments: [Segment]

    /// One entry of the program header table.
    private struct Segment {
        var type: UInt32
        var fileOffset: UInt64
        var address: UInt64
        var fileSize: UInt64

        static let load: UInt32 = 1
        static let dynamic: UInt32 = 2
        static let entrySize = 56

        init(_ bytes: ELFBytes, at offset: Int) {
            type = bytes.uint32(offset)
            fileOffset = bytes.uint64(offset + 8)
            address = bytes.uint64(offset + 16)
            fileSize = bytes.uint64(offset + 32)
        }
    }

    /// Far above the tables of real plugins; limits the memory that a malicious file can allocate.
    private static let largestTable: UInt64 = 256 << 20

    /// Checks the header, and that the file contains every part that the loader maps.
    init(descriptor: Int32, size: UInt64) throws(FailedCheck) {
        self.descriptor = descriptor
        self.size = size
        let headerSize = UInt64(ELFHeader.size)  // fits: a constant
        let start = try Self.read(descriptor, 0, min(size, headerSize), of: size, "the header")
        let header = try ELFHeader(start)
        let sections = header.sectionCount * header.sectionEntrySize  // fits: both have 16 bits
        try Self.requireTable(header.sectionOffset, sections, in: size, "the section headers")
        // fits: the count has 16 bits
        let programs = UInt64(header.programCount) * UInt64(Segment.entrySize)
        let table = try Self.read(
            descriptor, header.programOffset, programs, of: size, "the program headers")
        segments = (0..<header.programCount).map { Segment(table, at: $0 * Segment.entrySize) }
        for segment in segments where segment.type == Segment.load {
            try Self.requireTable(
                segment.fileOffset, segment.fileSize, in: size, "a loadable segment")
        }
    }

    /// The bytes of PT_DYNAMIC.
    func dynamicTable() throws(FailedCheck) -> ELFBytes {
        guard let dynamic = segments.first(where: { $0.type == Segment.dynamic }) else {
            throw FailedCheck(
                check: .type, expected: "a shared library", found: "no dynamic section",
                remedy: "link it with -shared and without -static")
        }
        return try read(dynamic.fileOffset, dynamic.fileSize, "the dynamic section")
    }

    /// `count` bytes of the file.
    func read(_ offset: UInt64, _ count: UInt64, _ name: String) throws(FailedCheck) -> ELFBytes {
        try Self.read(descriptor, offset, count, of: size, name)
    }

    /// The file offset of the byte that is loaded at `address`, and the number of bytes of its segment
    /// from there on.
    func place(of address: UInt64, _ name: String) throws(FailedCheck) -> (
        offset: UInt64, available: UInt64
    ) {
        for segment in segments where segment.type == Segment.load {
            guard address >= segment.address else { continue }
            let into = address - segment.address  // fits: it is not less
            guard into < segment.fileSize else { continue }
            // fits: the segment was found to lie within the file
            return (segment.fileOffset + into, segment.fileSize - into)
        }
        throw .incomplete(expected: "\(name) inside a loadable segment", found: "it is outside")
    }

    private static func requireTable(
        _ offset: UInt64, _ count: UInt64, in size: UInt64, _ name: String
    ) throws(FailedCheck) {
        guard offset <= size, count <= size - offset else {
            let (end, overflow) = offset.addingReportingOverflow(count)
            throw .incomplete(
                expected: overflow
                    ? "\(name) to end before byte 2^64" : "at least \(end) bytes, for \(name)",
                found: "\(size) bytes")
        }
    }

    private static func read(
        _ descriptor: Int32, _ offset: UInt64, _ count: UInt64, of size: UInt64, _ name: String
    ) throws(FailedCheck) -> ELFBytes {
        try requireTable(offset, count, in: size, name)
        guard count <= largestTable else {
            throw .incomplete(
                expected: "\(name) of at most \(largestTable) bytes", found: "\(count) bytes")
        }
        let wanted = Int(count)
        let bytes = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, filled in
            while filled < wanted {
                let got = pread(
                    descriptor, buffer.baseAddress?.advanced(by: filled), wanted - filled,
                    off_t(offset) + off_t(filled))
                if got < 0, errno == EINTR { continue }
                guard got > 0 else { return }
                filled += got
            }
        }
        guard bytes.count == wanted else {
            throw .incomplete(
                expected: "\(wanted) bytes of \(name)", found: "\(bytes.count) could be read")
        }
        return ELFBytes(bytes)
    }
}

extension FailedCheck {
    /// The error of a truncated file, or of an offset outside of it.
    static func incomplete(expected: String, found: String) -> FailedCheck {
        FailedCheck(
            check: .complete, expected: expected, found: found,
            remedy: "the file is truncated or damaged; build or copy it again")
    }
}
