// SPDX-License-Identifier: Apache-2.0

/// The maximum size of a foreign program. The reader refuses more, so that a hostile frame costs
/// bounded time, stack and memory.
package enum ForeignLimits {
    /// Calls in one program.
    package static let calls = 1000
    /// Arguments of one call; C guarantees only 127.
    package static let arguments = 127
    /// Fields of one struct, or parameters of one callback.
    package static let fields = 127
    /// The nesting depth of structs and pointers.
    package static let depth = 16
    /// Structs and fields of one type together: with names, a small program could describe a huge
    /// struct.
    static let parts = 256
    /// Bytes of the strings and bytes in the program itself, which is sent in one frame.
    static let inlineBytes: UInt64 = 1 << 20
    /// Bytes of all buffers of one program together, and the maximum of one input file.
    package static let bufferBytes: UInt64 = 1 << 30
}
