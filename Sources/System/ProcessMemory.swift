// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The memory of processes in bytes that the kernel cannot take back: anonymous and shared memory. Pages of files, such
/// as libraries, do not count, nor does memory that was swapped out.
package enum ProcessMemory {
    /// The memory of a process and of all below it. A page that several of them map counts for each, so that the
    /// true sum may be lower.
    package static func most(below root: pid_t) -> Int64 {
        sum(below: root, most(of:))
    }

    /// The same, of a page that several map the part of each. The kernel visits every page.
    package static func exact(below root: pid_t) -> Int64 {
        sum(below: root) { pid in
            let parts = sum(ofFields: ["Pss_Anon:", "Pss_Shmem:"], "/proc/\(pid)/smaps_rollup")
            // Unreadable for a process that forbids it (PR_SET_DUMPABLE) without a user namespace.
            return parts ?? most(of: pid)
        }
    }

    private static func most(of pid: pid_t) -> Int64 {
        // A zombie has none of the fields.
        sum(ofFields: ["RssAnon:", "RssShmem:"], "/proc/\(pid)/status") ?? 0
    }

    private static func sum(below root: pid_t, _ memory: (pid_t) -> Int64) -> Int64 {
        ProcessTree.members(below: root).reduce(memory(root)) { sum, member in
            sum.addingReportingOverflow(memory(member.pid)).partialValue
        }
    }

    /// The sum of fields in kB; nil without one of them.
    static func sum(ofFields names: [String], _ path: String) -> Int64? {
        guard let text = ProcFile.bytes(path) else { return nil }
        let lines = text.split(separator: UInt8(ascii: "\n"))
        var sum: Int64 = 0
        for name in names {
            guard let line = lines.first(where: { $0.starts(with: name.utf8) }),
                let kilobytes = ProcFile.numbers(line.dropFirst(name.utf8.count).filter(isDigit))
                    .first
            else { return nil }
            sum = sum.addingReportingOverflow(kilobytes << 10).partialValue
        }
        return sum
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
