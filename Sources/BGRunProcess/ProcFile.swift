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

/// Files of `/proc`: small, whole in one read, gone when their process is.
package enum ProcFile {
    /// The text of the file, empty when it cannot be read.
    package static func text(_ path: String) -> String {
        String(decoding: bytes(path) ?? [], as: UTF8.self)
    }

    /// The bytes of the file; nil, with the reason in `errno`, when it cannot be opened.
    static func bytes(_ path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        return bytes
    }

    /// The fields of `/proc/PID/stat` that are asked for here; nil when there is no such process.
    static func statFields(of pid: pid_t) -> ProcessStat? {
        let stat = text("/proc/\(pid)/stat")
        // The command name, the second field, may hold spaces and parentheses.
        guard let end = stat.lastIndex(of: ")") else { return nil }
        let fields = stat[end...].split(separator: " ")
        guard fields.count > 20, let parent = pid_t(fields[2]), let flags = UInt32(fields[7]),
            let ticks = Int64(fields[20])
        else { return nil }
        let exiting: UInt32 = 0x4  // PF_EXITING, which a zombie keeps
        return ProcessStat(parent: parent, isExiting: flags & exiting != 0, startTicks: ticks)
    }
}
