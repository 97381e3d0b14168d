// SPDX-License-Identifier: Apache-2.0

extension String {
    /// FNV-1a of its bytes: the same on every machine and in every version.
    package var fnv1a: UInt64 {
        utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64(clamping: $1)) &* 0x100_0000_01B3 }
    }
}
