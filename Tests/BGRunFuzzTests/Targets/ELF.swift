// SPDX-License-Identifier: Apache-2.0

import Glibc

@testable import BGRunInspection

extension FuzzTarget {
    /// A shared library that is inspected without loading it.
    static let elf = FuzzTarget("elf", made: { [library(.system), library(.gnu)] }) { bytes in
        var path = Array("/tmp/bgrun-fuzz-XXXXXX".utf8CString)
        let descriptor = mkstemp(&path)
        guard descriptor >= 0 else { throw Violation("mkstemp: \(errno)") }
        unlink(path)
        defer { close(descriptor) }
        let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        guard count == bytes.count else { throw Violation("write: \(errno)") }
        do {
            try check(ELFImage(descriptor: descriptor, size: UInt64(bytes.count)), bytes.count)
            // The file has shrunk since its size was read.
            ftruncate(descriptor, off_t(bytes.count / 2))
            try check(ELFImage(descriptor: descriptor, size: UInt64(bytes.count)), bytes.count)
        } catch let failure as FailedCheck {
            let length = failure.expected.utf8.count + failure.found.utf8.count
            try hold(length < 1_000 && !failure.remedy.isEmpty, "\(failure)")
        }
    }

    private static func check(_ image: ELFImage, _ size: Int) throws {
        let dynamic = try ELFDynamicSection(of: image)
        let exports = try dynamic.exports(lookingFor: ["bgrun_plugin_entry", "f"])
        try hold(exports.count <= size / ELFSymbol.size, "\(exports.count) symbols")
        try hold(exports.found.count <= 2, "\(exports.found.count) symbols were found")
        let names = try dynamic.needed() + [dynamic.soname() ?? ""]
        try hold(names.count <= 4_097, "\(names.count) names")
        // Bytes that are not UTF-8 become characters of three bytes.
        try hold(names.allSatisfy { $0.utf8.count < 3 * 4_096 }, "a long name")
    }

    private enum HashTable { case system, gnu }

    /// A library with one function `f`, whose addresses equal the offsets in its file.
    private static func library(_ hashTable: HashTable) -> [UInt8] {
        func number(_ value: some FixedWidthInteger) -> [UInt8] {
            withUnsafeBytes(of: value.littleEndian) { Array($0) }
        }
        let strings = Array("\u{0}f\u{0}libf.so\u{0}libc.so.6\u{0}".utf8)
        let hash =
            switch hashTable {
            case .system: [1, 2, 1, 0, 0].flatMap { number(UInt32($0)) }
            // One bucket, one word of the filter, and a chain of length one.
            case .gnu: [1, 1, 1, 0, 0, 0, 1, 1].flatMap { number(UInt32($0)) }
            }
        let symbols =
            [UInt8](repeating: 0, count: 24) + number(UInt32(1)) + [0x12, 0] + number(UInt16(1))
            + number(UInt64(64)) + number(UInt64(8))
        let dynamicPlace = 64 + 2 * 56
        let dynamicSize = 7 * 16
        let hashPlace = dynamicPlace + dynamicSize
        let symbolPlace = hashPlace + hash.count
        let stringPlace = symbolPlace + symbols.count
        let size = stringPlace + strings.count
        let dynamic: [(UInt64, Int)] = [
            (1, 11), (14, 3), (hashTable == .gnu ? 0x6FFF_FEF5 : 4, hashPlace), (5, stringPlace),
            (6, symbolPlace), (10, strings.count), (0, 0),
        ]
        func segment(_ type: UInt32, _ place: Int, _ size: Int) -> [UInt8] {
            number(type) + number(UInt32(4))
                + [place, place, place, size, size, 8].flatMap { number(UInt64($0)) }
        }
        var header: [UInt8] = [0x7F] + Array("ELF".utf8) + [2, 1, 1]
        header += [UInt8](repeating: 0, count: 9)
        header += number(UInt16(3)) + number(ELFMachine.current.number) + number(UInt32(1))
        header += [0, 64, 0].flatMap { number(UInt64($0)) } + number(UInt32(0))
        header += [64, 56, 2, 64, 0, 0].flatMap { number(UInt16($0)) }
        return header + segment(1, 0, size) + segment(2, dynamicPlace, dynamicSize)
            + dynamic.flatMap { number($0.0) + number(UInt64($0.1)) } + hash + symbols + strings
    }
}
