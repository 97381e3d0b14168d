// SPDX-License-Identifier: Apache-2.0

import CSeccomp

/// Runs a seccomp program as the kernel does.
struct FilterProgram {
    let instructions: [sock_filter]

    init(_ bytes: [UInt8]) {
        instructions = bytes.withUnsafeBytes { bytes in
            stride(from: 0, to: bytes.count, by: MemoryLayout<sock_filter>.size).map {
                bytes.loadUnaligned(fromByteOffset: $0, as: sock_filter.self)
            }
        }
    }

    /// The errno value with which a call fails; nil: it is permitted. -1: the program is invalid.
    func code(of number: UInt32, _ arguments: [UInt64], architecture: UInt32? = nil) -> Int32? {
        var data: [UInt32] = [number, architecture ?? seccomp_arch_native(), 0, 0]
        for argument in arguments + Array(repeating: 0, count: 6 - arguments.count) {
            data += [UInt32(truncatingIfNeeded: argument), UInt32(argument >> 32)]
        }
        var accumulator: UInt32 = 0
        var next = 0
        while next < instructions.count {
            let instruction = instructions[next]
            let k = instruction.k
            next += 1
            func jump(_ condition: Bool) {
                next += Int(condition ? instruction.jt : instruction.jf)
            }
            switch instruction.code {
            case 0x20: accumulator = data[Int(k / 4)]
            case 0x54: accumulator &= k
            case 0x05: next += Int(k)
            case 0x15: jump(accumulator == k)
            case 0x25: jump(accumulator > k)
            case 0x35: jump(accumulator >= k)
            case 0x45: jump(accumulator & k != 0)
            case 0x06:
                if k == SCMP_ACT_ALLOW { return nil }
                return k >> 16 == 5 ? Int32(k & 0xFFFF) : -1
            default: return -1
            }
        }
        return -1
    }
}
