// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The fields of `/proc/PID/stat` that bgrun uses.
struct ProcessStat {
    var parent: pid_t
    /// Exiting, or a zombie.
    var isExiting: Bool
    /// Clock ticks from boot to its start.
    var startTicks: Int64
}

/// Files of `/proc`: small, complete in one read, and they disappear with their process.
package enum ProcFile {
    /// The text of the file; empty if it cannot be read.
    package static func text(_ path: String) -> String {
        String(decoding: bytes(path) ?? [], as: UTF8.self)
    }

    /// The bytes of the file; nil, with the reason in `errno`, when it cannot be opened.
    static func bytes(_ path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 4_096) { chunk in
            var bytes: [UInt8] = []
            while true {
                let count = read(descriptor, chunk.baseAddress, chunk.count)
                guard count > 0 else { return bytes }
                bytes += chunk[..<count]
            }
        }
    }

    /// The fields of `/proc/PID/stat` that bgrun uses; nil if the process does not exist.
    static func statFields(of pid: pid_t) -> ProcessStat? {
        guard let numbers = statNumbers(of: pid), numbers.count > 19,
            let parent = pid_t(exactly: numbers[1])
        else { return nil }
        let exiting: Int64 = 0x4  // PF_EXITING, which a zombie keeps
        return ProcessStat(
            parent: parent, isExiting: numbers[6] & exiting != 0, startTicks: numbers[19])
    }

    /// The fields of `/proc/PID/stat` after the command name, from the state on, which is a letter and
    /// read as 0; nil if the process does not exist.
    static func statNumbers(of pid: pid_t) -> [Int64]? {
        // The command name, the second field, may contain spaces and parentheses.
        guard let stat = bytes("/proc/\(pid)/stat"), let end = stat.lastIndex(of: UInt8(ascii: ")"))
        else { return nil }
        return numbers(stat[(end + 1)...])
    }

    /// The decimal numbers in `text`, separated by spaces and newlines; 0 for other words.
    static func numbers(_ text: some Sequence<UInt8>) -> [Int64] {
        var numbers: [Int64] = []
        var number: Int64?
        var isNegative = false
        func add() { if let number { numbers.append(isNegative ? 0 &- number : number) } }
        for byte in text {
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\n"):
                add()
                number = nil
                isNegative = false
            case UInt8(ascii: "-"):
                isNegative = true
                number = 0
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                number = (number ?? 0) &* 10 &+ Int64(byte - UInt8(ascii: "0"))
            default: number = 0
            }
        }
        add()
        return numbers
    }
}
