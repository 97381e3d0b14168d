// SPDX-License-Identifier: Apache-2.0

/// A 64-bit digest that detects every change in one word and almost any other; not a protection against
/// forgery.
enum Digest {
    static func of(_ bytes: [UInt8]) -> UInt64 { bytes.withUnsafeBytes { of($0) } }

    /// Each step is invertible, so two different words never have the same result.
    static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var digest = UInt64(truncatingIfNeeded: bytes.count) &* factor
        var offset = 0
        while offset + 8 <= bytes.count {
            take(bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            offset += 8
        }
        var rest: UInt64 = 0
        for index in offset..<bytes.count { rest = rest << 8 | UInt64(clamping: bytes[index]) }
        take(rest)
        return digest

        func take(_ word: UInt64) {
            digest = (digest ^ UInt64(littleEndian: word)) &* factor
            digest ^= digest >> 29
        }
    }

    /// Odd, so that multiplication by it is invertible (Vigna's SplitMix64).
    private static let factor: UInt64 = 0xBF58_476D_1CE4_E5B9
}
