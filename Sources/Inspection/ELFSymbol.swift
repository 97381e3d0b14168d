// SPDX-License-Identifier: Apache-2.0

/// One entry of the dynamic symbol table.
struct ELFSymbol {
    static let size = 24

    /// The offset of its name in the string table.
    let name: UInt32
    private let info: UInt8
    private let other: UInt8
    private let section: UInt16

    init(_ table: ELFBytes, at offset: Int) {
        name = table.uint32(offset)
        info = table[offset + 4]
        other = table[offset + 5]
        section = table.uint16(offset + 6)
    }

    /// Defined, global or weak (or unique), and neither hidden nor internal.
    var isExported: Bool {
        let isDefined = section != 0
        let isVisible = other & 3 == 0 || other & 3 == 3
        return isDefined && isVisible && [1, 2, 10].contains(info >> 4)
    }

    enum Kind: Sendable {
        case function
        /// A variable.
        case data
        /// Written in assembly without a type.
        case unknown
    }

    var kind: Kind {
        switch info & 15 {
        // An IFUNC (10) is a function that is chosen when the library is loaded.
        case 2, 10: .function
        case 0: .unknown
        default: .data
        }
    }
}

/// The symbols that other libraries can see.
struct ELFExports {
    var count = 0
    /// The requested ones.
    var found: [String: ELFSymbol.Kind] = [:]

    func hasFunction(_ name: String) -> Bool { found[name] == .function }

    func requireFunction(_ name: String) throws(FailedCheck) {
        if hasFunction(name) { return }
        throw FailedCheck(
            check: .entrySymbol, expected: "an exported function \(name)",
            found: count == 0
                ? "no exported symbol at all"
                : "\(count) exported symbol\(count == 1 ? "" : "s"), none of them that",
            remedy: name == PluginFile.entrySymbol
                ? "define it as bgrun_plugin.h declares it: extern \"C\" and BGRUN_EXPORT"
                : "check the spelling, and that the library exports it")
    }
}
