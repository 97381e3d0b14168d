// SPDX-License-Identifier: Apache-2.0

@testable import BGRunProtocol

extension FuzzTarget {
    /// The dynamic linker's cache of library paths.
    static let linkerCache = FuzzTarget(
        "linker-cache", longest: 1_024,
        made: { [sampleCache, Array("ld.so-1.7.0".utf8) + [0, 0, 0, 0, 0] + sampleCache] }
    ) { bytes in
        guard let cache = LinkerCache(bytes[...]) else { return }
        let path = cache.path(of: "libz.so.1") ?? ""
        try hold(path.utf8.count <= 3 * bytes.count, "a path of \(path.utf8.count) bytes")
    }

    private static var sampleCache: [UInt8] {
        func number(_ value: UInt32) -> [UInt8] {
            withUnsafeBytes(of: value.littleEndian) { Array($0) }
        }
        let strings = Array("libz.so.1\u{0}/lib/libz.so.1\u{0}".utf8)
        return Array("glibc-ld.so.cache1.1".utf8) + number(1) + number(UInt32(strings.count))
            + [UInt8](repeating: 0, count: 20) + number(0x303) + number(72) + number(82)
            + [UInt8](repeating: 0, count: 12) + strings
    }
}
