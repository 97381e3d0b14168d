// SPDX-License-Identifier: Apache-2.0

/// The dynamic section of a library: its name, its dependencies, its exports.
struct ELFDynamicSection {
    private let image: ELFImage
    private let strings: ELFBytes
    private let sonameOffset: UInt64?
    private let neededOffsets: [UInt64]
    private let symbolTable: UInt64
    private let symbolCount: Int

    private enum Tag {
        static let end: UInt64 = 0
        static let needed: UInt64 = 1
        static let hash: UInt64 = 4
        static let stringTable: UInt64 = 5
        static let symbolTable: UInt64 = 6
        static let stringSize: UInt64 = 10
        static let soname: UInt64 = 14
        static let gnuHash: UInt64 = 0x6FFF_FEF5
        static let flags1: UInt64 = 0x6FFF_FFFB
    }

    init(of image: ELFImage) throws(FailedCheck) {
        self.image = image
        let table = try image.dynamicTable()
        var values: [UInt64: UInt64] = [:]
        var needed: [UInt64] = []
        for offset in stride(from: 0, through: table.count - 16, by: 16) {
            let (tag, value) = (table.uint64(offset), table.uint64(offset + 8))
            if tag == Tag.end { break }
            if tag == Tag.needed { needed.append(value) } else { values[tag] = value }
        }
        guard needed.count <= 4096 else {
            throw .incomplete(expected: "at most 4096 needed libraries", found: "\(needed.count)")
        }
        neededOffsets = needed
        sonameOffset = values[Tag.soname]
        try Self.checkFlags(values[Tag.flags1] ?? 0)
        guard let stringTable = values[Tag.stringTable], let size = values[Tag.stringSize],
            let symbolTable = values[Tag.symbolTable]
        else {
            throw .incomplete(
                expected: "a symbol table in the dynamic section", found: "none of it, or a part")
        }
        self.symbolTable = symbolTable
        strings = try image.read(
            image.place(of: stringTable, "the string table").offset, size, "the string table")
        symbolCount = try Self.symbolCount(image, values)
    }

    /// The loader refuses libraries with either flag.
    private static func checkFlags(_ flags: UInt64) throws(FailedCheck) {
        if flags & 0x0800_0000 != 0 { throw .notShared(found: "an executable (-pie)") }
        if flags & 0x40 != 0 { throw .notShared(found: "a library linked with -z nodlopen") }
    }

    func soname() throws(FailedCheck) -> String? {
        guard let sonameOffset else { return nil }
        return try string(sonameOffset, "its own name")
    }

    func needed() throws(FailedCheck) -> [String] {
        var names: [String] = []
        for offset in neededOffsets { names.append(try string(offset, "a needed library's name")) }
        return names
    }

    /// The number of symbols that other libraries can see, and the ones among `names`.
    func exports(lookingFor names: Set<String>) throws(FailedCheck) -> ELFExports {
        let place = try image.place(of: symbolTable, "the symbol table")
        // fits: the count has 32 bits
        let size = UInt64(symbolCount) * UInt64(ELFSymbol.size)
        let table = try image.read(place.offset, size, "the symbol table")
        var exports = ELFExports()
        // The first symbol is always empty.
        for index in 0..<symbolCount where index > 0 {
            let symbol = ELFSymbol(table, at: index * ELFSymbol.size)
            guard symbol.isExported else { continue }
            exports.count += 1
            let nameOffset = UInt64(symbol.name)  // fits: it has 32 bits
            for name in names where strings.holds(name, at: nameOffset) {
                if !exports.hasFunction(name) { exports.found[name] = symbol.kind }
            }
        }
        return exports
    }

    private func string(_ offset: UInt64, _ name: String) throws(FailedCheck) -> String {
        guard let string = strings.string(at: offset, limit: 4096) else {
            throw .incomplete(
                expected: "\(name) inside the string table, at most 4096 bytes",
                found: "none there")
        }
        return string
    }

    /// The size of the symbol table is not stored; it follows from the hash table.
    private static func symbolCount(
        _ image: ELFImage, _ values: [UInt64: UInt64]
    ) throws(FailedCheck) -> Int {
        if let address = values[Tag.hash] {
            let place = try image.place(of: address, "the hash table")
            return Int(try image.read(place.offset, 8, "the hash table").uint32(4))
        }
        guard let address = values[Tag.gnuHash] else {
            throw .incomplete(
                expected: "a hash table of symbols (DT_HASH or DT_GNU_HASH)", found: "none")
        }
        let place = try image.place(of: address, "the hash table")
        return try gnuSymbolCount(image, place)
    }

    /// The last chain begins at the largest bucket and ends at the first hash with its low bit set.
    private static func gnuSymbolCount(
        _ image: ELFImage, _ place: (offset: UInt64, available: UInt64)
    ) throws(FailedCheck) -> Int {
        let header = try image.read(place.offset, 16, "the hash table")
        let buckets = UInt64(header.uint32(0))  // fits: 32 bits
        let firstHashed = Int(header.uint32(4))
        let bloomWords = UInt64(header.uint32(8))  // fits: 32 bits
        let bucketsOffset = place.offset + 16 + bloomWords * 8
        let table = try image.read(bucketsOffset, buckets * 4, "the hash table")
        var last = 0
        for bucket in 0..<Int(buckets) { last = max(last, Int(table.uint32(bucket * 4))) }
        guard last >= firstHashed else { return firstHashed }
        let chainsOffset = bucketsOffset + buckets * 4
        let end = place.offset + place.available
        while true {
            // fits: the difference is not negative and has 32 bits
            let offset = chainsOffset + UInt64(last - firstHashed) * 4
            guard offset < end else {
                throw .incomplete(expected: "the hash table to end", found: "it does not")
            }
            // Reads a page at a time: a chain is usually short, but a malicious one may be as long
            // as the file.
            let chunk = try image.read(offset, min(4096, end - offset), "the hash table")
            for position in stride(from: 0, through: chunk.count - 4, by: 4) {
                last += 1
                if chunk.uint32(position) & 1 == 1 { return last }
            }
            guard chunk.count == 4096 else {
                throw .incomplete(expected: "the hash table to end", found: "it does not")
            }
        }
    }
}
