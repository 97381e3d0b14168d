// SPDX-License-Identifier: Apache-2.0

import BGRunSystem
import Glibc

/// What the kernel says of a worker from outside, so that nothing in it can lie.
struct ProcessState {
    let threads: Int
    /// By number, what each open descriptor is.
    let descriptors: [Int: String]
    /// Which signals are blocked, ignored and caught, as masks in hexadecimal.
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
        directory = Self.target("/proc/\(pid)/cwd")
        var open: [Int: String] = [:]
        for name in Directory.names(in: "/proc/\(pid)/fd") ?? [] {
            if let number = Int(name) { open[number] = Self.target("/proc/\(pid)/fd/\(name)") }
        }
        descriptors = open
    }

    /// The descriptors that are open here and were not, or were something else, then.
    func opened(since earlier: ProcessState) -> [String] {
        descriptors.filter { earlier.descriptors[$0.key] != $0.value }
            .sorted { $0.key < $1.key }.map { "\($0.key) (\($0.value))" }
    }

    func changesSignals(since earlier: ProcessState) -> Bool {
        ignored != earlier.ignored || caught != earlier.caught
    }

    private static func target(_ link: String) -> String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(link, &buffer, buffer.count)
        return String(
            decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
