// SPDX-License-Identifier: Apache-2.0

/// How large a foreign program may be. The reader refuses more, so that a hostile frame costs
/// bounded time, stack and memory.
package enum ForeignLimits {
    /// Calls in one program.
    package static let calls = 1000
    /// Arguments of one call; C itself promises 127 to a program.
    package static let arguments = 127
    /// Fields of one struct, or parameters of one callback.
    package static let fields = 127
    /// Structs and pointers inside one another.
    package static let depth = 16
    /// Structs and fields of one type together: names let a small program spell a vast struct.
    static let parts = 256
    /// Bytes of the strings and bytes that stand in the program itself: it crosses in one frame.
    static let inlineBytes: UInt64 = 1 << 20
    /// Bytes of all buffers of one program together, also of one input file.
    package static let bufferBytes: UInt64 = 1 << 30
}
