// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BGRunProtocol

@Suite("The dynamic linker's cache", .timeLimit(.minutes(10)))
struct LinkerCacheTests {
    /// A cache as `ldconfig` writes it.
    private func cache(_ libraries: [(name: String, path: String)]) -> [UInt8] {
        var strings: [UInt8] = []
        var entries: [UInt8] = []
        func number(_ value: Int) -> [UInt8] {
            withUnsafeBytes(of: UInt32(value)) { Array($0) }
        }
        func place(_ text: String) -> [UInt8] {
            let offset = 48 + libraries.count * 24 + strings.count
            strings += Array(text.utf8) + [0]
            return number(offset)
        }
        for (name, path) in libraries {
            entries += number(0x303) + place(name) + place(path)
            entries += [UInt8](repeating: 0, count: 12)
        }
        return Array("glibc-ld.so.cache1.1".utf8) + number(libraries.count)
            + number(strings.count) + [UInt8](repeating: 0, count: 20) + entries + strings
    }

    private let libraries = [
        (name: "libz.so.1", path: "/fast/libz.so.1"), (name: "libz.so.1", path: "/lib/libz.so.1"),
        (name: "libq.so", path: "/lib/libq.so"),
    ]

    @Test("gives the path of a library; the first of two counts")
    func lookup() throws {
        let cache = try #require(LinkerCache(cache(libraries)[...]))
        #expect(cache.path(of: "libz.so.1") == "/fast/libz.so.1")
        #expect(cache.path(of: "libq.so") == "/lib/libq.so")
        #expect(cache.path(of: "libq.so.1") == nil)
    }

    @Test("is found behind the format of glibc 2.1")
    func oldFormat() throws {
        let old = Array("ld.so-1.7.0".utf8) + [UInt8](repeating: 0, count: 29)
        let cache = try #require(LinkerCache((old + cache(libraries))[...]))
        #expect(cache.path(of: "libq.so") == "/lib/libq.so")
    }

    @Test("is invalid if it is truncated anywhere")
    func truncated() {
        let bytes = cache(libraries)
        for count in bytes.indices { #expect(LinkerCache(bytes[..<count]) == nil) }
    }

    @Test("is invalid or different with a changed number, and never crashes the reader")
    func damaged() {
        let bytes = cache(libraries)
        for place in bytes.indices {
            for value in [0, 1, 0x7f, 0xff] as [UInt8] {
                var damaged = bytes
                damaged[place] = value
                let cache = LinkerCache(damaged[...])
                if place < 20, damaged != bytes { #expect(cache == nil) }
            }
        }
    }

    @Test("has the C library on this machine")
    func system() throws {
        let path = try #require(LinkerCache.system?.path(of: "libc.so.6"))
        #expect(path.hasSuffix("/libc.so.6"))
    }
}
