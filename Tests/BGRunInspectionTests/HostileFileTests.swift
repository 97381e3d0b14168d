// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Glibc
import Testing

@testable import BGRunInspection

/// Passes bytes to the checks through the descriptor of an unnamed file.
private final class NamelessFile {
    private let descriptor: Int32
    private(set) var size: Int

    init(_ bytes: [UInt8]) throws {
        var template = Array("/tmp/bgrun-hostile-XXXXXX".utf8CString)
        descriptor = mkstemp(&template)
        try #require(descriptor >= 0)
        try #require(unlink(template) == 0)
        size = bytes.count
        try #require(write(descriptor, bytes, bytes.count) == bytes.count)
    }

    deinit {
        close(descriptor)
    }

    func truncate(to size: Int) throws {
        try #require(ftruncate(descriptor, off_t(size)) == 0)
        self.size = size
    }

    func patch(_ bytes: [UInt8], at offset: Int) throws {
        try #require(pwrite(descriptor, bytes, bytes.count, off_t(offset)) == bytes.count)
    }

    /// The check that fails, or nil. `claimedSize` is the size before the file shrank.
    func failure(claimedSize: Int? = nil) -> FailedCheck? {
        do {
            let image = try ELFImage(
                descriptor: descriptor, size: UInt64(claimedSize ?? size))
            let dynamic = try ELFDynamicSection(of: image)
            _ = try dynamic.soname()
            _ = try dynamic.needed()
            try dynamic.exports(lookingFor: [PluginFile.entrySymbol])
                .requireFunction(PluginFile.entrySymbol)
            return nil
        } catch {
            return error
        }
    }
}

@Suite("Hostile plugin files", .timeLimit(.minutes(10)))
struct HostileFileTests {
    @Test("a file truncated at any length is refused as incomplete or as not a library")
    func truncation() throws {
        let bytes = try Compiled.small.get()
        let file = try NamelessFile(bytes)
        try #require(file.failure() == nil)
        for length in (0..<bytes.count).reversed() {
            try file.truncate(to: length)
            let check = try #require(file.failure(), "accepted at \(length) bytes").check
            #expect(check == (length < 4 ? .elfHeader : .complete), "at \(length) bytes")
        }
    }

    @Test("a file that shrinks while it is read is refused")
    func shrinking() throws {
        let bytes = try Compiled.small.get()
        let file = try NamelessFile(bytes)
        try file.truncate(to: 64)
        #expect(file.failure(claimedSize: bytes.count)?.check == .complete)
    }

    @Test("every byte of the header, set to each extreme, is survived")
    func headerExtremes() throws {
        let bytes = try Compiled.small.get()
        for offset in 0..<64 {
            for value: UInt8 in [0, 1, 0x7F, 0x80, 0xFF] where bytes[offset] != value {
                let file = try NamelessFile(bytes)
                try file.patch([value], at: offset)
                // A wrong magic is always refused; the loader may ignore other fields.
                if offset < 4 {
                    #expect(file.failure()?.check == .elfHeader)
                } else {
                    _ = file.failure()
                }
            }
        }
    }

    @Test("every 8 bytes of the file, set to each extreme, are survived", arguments: [0, 4])
    func wordExtremes(phase: Int) throws {
        let bytes = try Compiled.gnuHash.get()
        let file = try NamelessFile(bytes)
        var refused = 0
        for offset in stride(from: phase, to: min(bytes.count, 4096) - 8, by: 8) {
            for value: UInt8 in [0, 0x7F, 0xFF] {
                try file.patch([UInt8](repeating: value, count: 8), at: offset)
                if file.failure() != nil { refused += 1 }
            }
            try file.patch(Array(bytes[offset..<offset + 8]), at: offset)
        }
        #expect(file.failure() == nil)
        #expect(refused > 0)
    }

    @Test("random changes are survived", arguments: UInt64(1)...4)
    func mutations(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let bytes = try Compiled.gnuHash.get()
        let file = try NamelessFile(bytes)
        for _ in 0..<2_000 {
            var offsets: [Int] = []
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                // Half of the changes are at the start, where the tables are.
                let end = Bool.random(using: &random) ? 1024 : bytes.count
                let offset = Int.random(in: 0..<min(end, bytes.count), using: &random)
                try file.patch([UInt8.random(in: 0...255, using: &random)], at: offset)
                offsets.append(offset)
            }
            // The result does not matter; the check must return.
            _ = file.failure()
            for offset in offsets { try file.patch([bytes[offset]], at: offset) }
        }
        #expect(file.failure() == nil, "seed \(seed)")
    }

    @Test("a string without an end is read only at its start")
    func endlessStrings() {
        let bytes = ELFBytes([UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20))
        #expect(bytes.string(at: 0, limit: 4096) == nil)
        #expect(bytes.string(at: 1 << 20, limit: 4096) == nil)
        #expect(bytes.string(at: .max, limit: 4096) == nil)
        #expect(!bytes.holds("x", at: (1 << 20) - 1))
        #expect(!bytes.holds("x", at: .max))
    }

    @Test("a name is found only if it is complete and terminated")
    func names() {
        let bytes = ELFBytes(Array("\0abc\0abcd\0".utf8))
        #expect(bytes.holds("abc", at: 1))
        #expect(!bytes.holds("ab", at: 1))
        #expect(!bytes.holds("abc", at: 5))
        #expect(bytes.holds("abcd", at: 5))
        #expect(bytes.holds("bcd", at: 6))
        #expect(bytes.string(at: 5, limit: 4096) == "abcd")
        #expect(bytes.string(at: 5, limit: 4) == nil)
    }
}
