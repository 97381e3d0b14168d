// SPDX-License-Identifier: Apache-2.0

/// The ELF header of a file that this process could load.
struct ELFHeader {
    static let size = 64

    let programOffset: UInt64
    let programCount: Int
    let sectionOffset: UInt64
    let sectionCount: UInt64
    let sectionEntrySize: UInt64

    /// `bytes` are the first bytes of the file, at most `size`.
    init(_ bytes: ELFBytes) throws(FailedCheck) {
        try Self.checkMagic(bytes)
        try Self.checkIdentification(bytes)
        guard bytes.count == Self.size else {
            throw .incomplete(expected: "a header of \(Self.size) bytes", found: "\(bytes.count)")
        }
        try Self.checkMachine(bytes.uint16(18))
        try Self.checkType(bytes.uint16(16))
        programOffset = bytes.uint64(32)
        programCount = Int(bytes.uint16(56))
        guard programCount == 0 || bytes.uint16(54) == 56 else {
            throw .incomplete(expected: "program headers of 56 bytes", found: "\(bytes.uint16(54))")
        }
        sectionOffset = bytes.uint64(40)
        sectionEntrySize = UInt64(bytes.uint16(58))  // fits: 16 bits
        // fits: 16 bits
        sectionCount = sectionOffset == 0 ? 0 : UInt64(bytes.uint16(60))
    }

    private static func checkMagic(_ bytes: ELFBytes) throws(FailedCheck) {
        let start = (0..<min(4, bytes.count)).map { bytes[$0] }
        guard start != Array("\u{7F}ELF".utf8) else { return }
        throw FailedCheck(
            check: .elfHeader, expected: "an ELF shared library", found: kind(of: bytes),
            remedy: "give the path of the built library, not of a source or a script")
    }

    /// The probable kind of a file that is not an ELF file.
    private static func kind(of bytes: ELFBytes) -> String {
        let start = (0..<bytes.count).map { bytes[$0] }
        if start.isEmpty { return "an empty file" }
        if start.starts(with: "!<arch>".utf8) { return "a static library (.a)" }
        if start.starts(with: "MZ".utf8) { return "a Windows library" }
        let machO: [[UInt8]] = [[0xCF, 0xFA, 0xED, 0xFE], [0xCA, 0xFE, 0xBA, 0xBE]]
        if machO.contains(where: { start.starts(with: $0) }) { return "a macOS library" }
        let isText = start.allSatisfy { (0x20...0x7E).contains($0) || (0x09...0x0D).contains($0) }
        if isText {
            let line = start.prefix(24).prefix { $0 >= 0x20 }
            return "a text file that begins \"\(String(decoding: line, as: UTF8.self))\""
        }
        return "bytes that begin "
            + start.prefix(4).map { String($0, radix: 16) }.joined(separator: " ")
    }

    private static func checkIdentification(_ bytes: ELFBytes) throws(FailedCheck) {
        guard bytes.count > 5 else {
            throw .incomplete(expected: "a header of \(size) bytes", found: "\(bytes.count)")
        }
        guard bytes[4] == 2 else {
            throw FailedCheck(
                check: .elfClass, expected: "64-bit",
                found: bytes[4] == 1 ? "32-bit" : "class \(bytes[4])",
                remedy: "build it for this machine (without -m32)")
        }
        guard bytes[5] == nativeOrder else {
            throw FailedCheck(
                check: .byteOrder, expected: orderName(nativeOrder), found: orderName(bytes[5]),
                remedy: "build it for this machine")
        }
    }

    private static func checkMachine(_ number: UInt16) throws(FailedCheck) {
        let machine = ELFMachine(number: number)
        guard machine == .current else {
            throw FailedCheck(
                check: .machine, expected: ELFMachine.current.name, found: machine.name,
                remedy: "build it for this machine")
        }
    }

    private static func checkType(_ type: UInt16) throws(FailedCheck) {
        switch type {
        case 3: return
        case 1: throw .notShared(found: "an object file (.o)")
        case 2: throw .notShared(found: "an executable")
        case 4: throw .notShared(found: "a core dump")
        default: throw .notShared(found: "type \(type)")
        }
    }

    private static let nativeOrder: UInt8 = Int(littleEndian: 1) == 1 ? 1 : 2

    private static func orderName(_ order: UInt8) -> String {
        switch order {
        case 1: "little-endian"
        case 2: "big-endian"
        default: "order \(order)"
        }
    }
}

/// A value of e_machine.
struct ELFMachine: Equatable {
    var number: UInt16

    #if arch(x86_64)
        static let current = ELFMachine(number: 62)
    #elseif arch(arm64)
        static let current = ELFMachine(number: 183)
    #elseif arch(riscv64)
        static let current = ELFMachine(number: 243)
    #elseif arch(powerpc64) || arch(powerpc64le)
        static let current = ELFMachine(number: 21)
    #elseif arch(s390x)
        static let current = ELFMachine(number: 22)
    #endif

    var name: String {
        switch number {
        case 3: "x86 (32-bit)"
        case 8: "MIPS"
        case 20: "PowerPC"
        case 21: "PowerPC 64"
        case 22: "s390"
        case 40: "ARM (32-bit)"
        case 62: "x86-64"
        case 183: "AArch64"
        case 243: "RISC-V"
        case 258: "LoongArch"
        default: "machine \(number)"
        }
    }
}

extension FailedCheck {
    static func notShared(found: String) -> FailedCheck {
        FailedCheck(
            check: .type, expected: "a shared library", found: found,
            remedy: "link it with -shared -fPIC")
    }
}
