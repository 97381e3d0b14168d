// SPDX-License-Identifier: Apache-2.0

import BGRunSystem
import Glibc

/// The kernel's view of a worker, which the worker cannot falsify.
struct ProcessState {
    let threads: Int
    /// The file of each open descriptor, by number.
    let descriptors: [Int: String]
    /// The blocked, ignored and caught signals, as hexadecimal masks.
    let blocked: String
    let ignored: String
    let caught: String
    let mask: String
    let directory: String

    init(of pid: pid_t) {
        var fields: [Substring: String] = [:]
        for line in ProcFile.text("/proc/\(pid)/status").split(separator: "\n") {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let value = line[line.index(after: colon)...].drop { $0 == "\t" || $0 == " " }
            fields[line[..<colon]] = String(value)
        }
        threads = fields["Threads"].flatMap { Int($0) } ?? 0
        blocked = fields["SigBlk"] ?? ""
        ignored = fields["SigIgn"] ?? ""
        caught = fields["SigCgt"] ?? ""
        mask = fields["Umask"] ?? ""
        directory = PathWalk.target(of: "/proc/\(pid)/cwd") ?? ""
        var open: [Int: String] = [:]
        for name in Directory.names(in: "/proc/\(pid)/fd") ?? [] {
            guard let number = Int(name) else { continue }
            open[number] = PathWalk.target(of: "/proc/\(pid)/fd/\(name)") ?? ""
        }
        descriptors = open
    }

    /// The descriptors that are open here and were closed, or referred to another file, in
    /// `earlier`.
    func opened(since earlier: ProcessState) -> [String] {
        descriptors.filter { earlier.descriptors[$0.key] != $0.value }
            .sorted { $0.key < $1.key }.map { "\($0.key) (\($0.value))" }
    }

    func changesSignals(since earlier: ProcessState) -> Bool {
        ignored != earlier.ignored || caught != earlier.caught
    }
}
