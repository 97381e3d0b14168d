// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import Glibc

/// Owns all memory and closures of a program; frees them when the program ends.
final class ProgramMemory {
    private var blocks: [UnsafeMutableRawPointer] = []
    private var callbacks: [Callback] = []
    private var bufferBytes: UInt64 = 0

    deinit { for block in blocks { free(block) } }

    /// Zeroed memory, aligned for every supported C type.
    func allocate(_ size: Int) throws(ForeignFailure) -> UnsafeMutableRawPointer {
        guard let block = calloc(1, max(1, size)) else {
            throw ForeignFailure("no memory for \(size) bytes")
        }
        blocks.append(block)
        return block
    }

    /// The same for a buffer of the program, which counts against `ForeignLimits.bufferBytes`.
    func allocateBuffer(_ size: UInt64) throws(ForeignFailure) -> UnsafeMutableRawPointer {
        let (sum, overflow) = bufferBytes.addingReportingOverflow(size)
        guard !overflow, sum <= ForeignLimits.bufferBytes else {
            throw ForeignFailure(
                "the program's buffers hold more than \(ForeignLimits.bufferBytes) bytes together")
        }
        bufferBytes = sum
        return try allocate(Int(size))
    }

    func keep(_ callback: Callback) { callbacks.append(callback) }
}
