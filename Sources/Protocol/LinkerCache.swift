// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The dynamic linker's cache, written by `ldconfig`: the paths of libraries by name.
///
/// Read from `/etc/ld.so.cache`, so that a library can be found without loading it.
struct LinkerCache: Sendable {
    private static let largest = 64 << 20
    private let paths: [String: String]

    /// This machine's cache; nil if it is missing, or not in the format of glibc 2.2 and later.
    static let system: LinkerCache? = {
        let descriptor = open("/etc/ld.so.cache", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, 0...largest ~= status.st_size else { return nil }
        var bytes = [UInt8](repeating: 0, count: status.st_size)
        var count = 0
        while count < bytes.count {
            let got = bytes.withUnsafeMutableBytes {
                read(descriptor, $0.baseAddress.map { $0 + count }, $0.count - count)
            }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { return nil }
            if got == 0 { break }
            count += got
        }
        return LinkerCache(bytes[..<count])
    }()

    /// Parses the bytes of a cache; nil if they are not a cache, or damaged.
    init?(_ bytes: ArraySlice<UInt8>) {
        guard let start = Self.start(in: bytes) else { return nil }
        let cache = bytes[start...]
        func integer(at offset: Int) -> Int? {
            guard let first = cache.index(start, offsetBy: offset, limitedBy: cache.endIndex),
                let last = cache.index(first, offsetBy: 4, limitedBy: cache.endIndex)
            else { return nil }
            var value: UInt32 = 0
            withUnsafeMutableBytes(of: &value) { $0.copyBytes(from: cache[first..<last]) }
            return Int(value)
        }
        func string(at offset: Int) -> String? {
            guard offset < cache.count, let end = cache[(start + offset)...].firstIndex(of: 0)
            else { return nil }
            return String(decoding: cache[(start + offset)..<end], as: UTF8.self)
        }

        let headerSize = 48
        let entrySize = 24
        guard let count = integer(at: 20), count <= cache.count / entrySize else { return nil }
        var paths: [String: String] = [:]
        for entry in 0..<count {
            let place = headerSize + entry * entrySize
            guard let key = integer(at: place + 4), let value = integer(at: place + 8),
                let name = string(at: key), let path = string(at: value)
            else { return nil }
            // The best match for a machine comes first.
            paths[name] = paths[name] ?? path
        }
        self.paths = paths
    }

    /// The file that the dynamic linker selects for `name`; nil if it is not in the cache.
    func path(of name: String) -> String? { paths[name] }

    /// The start of the current format, found by its magic number: it may follow an older format in
    /// the same file.
    private static func start(in bytes: ArraySlice<UInt8>) -> Int? {
        let magic = Array("glibc-ld.so.cache1.1".utf8)
        guard bytes.count >= magic.count else { return nil }
        if bytes.starts(with: magic) { return bytes.startIndex }
        guard bytes.starts(with: "ld.so-1.7.0".utf8) else { return nil }
        return stride(from: bytes.startIndex, to: bytes.endIndex - magic.count, by: 4)
            .first { bytes[$0...].starts(with: magic) }
    }
}
