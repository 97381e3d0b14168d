// SPDX-License-Identifier: Apache-2.0

/// How large a foreign program may be. The reader refuses more, so that a hostile frame costs
/// bounded time, stack and memory.
public enum ForeignLimits {
    /// Calls in one program.
    public static let calls = 1000
    /// Arguments of one call; C itself promises 127 to a program.
    public static let arguments = 127
    /// Fields of one struct, or parameters of one callback.
    public static let fields = 127
    /// Structs and pointers inside one another.
    public static let depth = 16
    /// Structs and fields of one type together: names let a small program spell a vast struct.
    public static let parts = 256
    /// Bytes of all buffers of one program together, also of one input file.
    public static let bufferBytes: UInt64 = 1 << 30
}
