// SPDX-License-Identifier: Apache-2.0

import BGRunSystem
import CBGRunShims
import Glibc

/// The kernel's small files about the machine, below a root that tests replace.
struct SystemFiles: Sendable {
    /// "" for this machine.
    var root: String

    /// The text of a file of at most 4 KiB, trimmed; nil if it cannot be read: drivers may fail.
    func text(_ path: String) -> String? {
        let descriptor = open(root + path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let length = read(descriptor, &bytes, bytes.count)
        guard length >= 0 else { return nil }
        var text = bytes[..<length]
        while let last = text.last, last <= 0x20 { text.removeLast() }
        while let first = text.first, first <= 0x20 { text.removeFirst() }
        return String(decoding: text, as: UTF8.self)
    }

    func number(_ path: String) -> Int64? { text(path).flatMap { Int64($0) } }

    /// The names in a directory without those that begin with a dot, sorted; nil if the directory does not
    /// exist.
    func names(in path: String) -> [String]? { Directory.names(in: root + path)?.sorted() }

    /// The last access of each file in a directory whose name satisfies `isWanted`, in seconds since 1970.
    /// Avoids a string per name: /dev has hundreds.
    func accessTimes(in path: String, of isWanted: (UnsafeRawBufferPointer) -> Bool) -> [Int64] {
        guard let directory = opendir(root + path) else { return [] }
        defer { closedir(directory) }
        var times: [Int64] = []
        while let entry = readdir(directory) {
            withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                let name = UnsafeRawBufferPointer(rebasing: bytes.prefix { $0 != 0 })
                var status = stat()
                guard name.first != UInt8(ascii: "."), isWanted(name),
                    let text = bytes.bindMemory(to: CChar.self).baseAddress,
                    fstatat(dirfd(directory), text, &status, 0) == 0
                else { return }
                times.append(Int64(status.st_atim.tv_sec))
            }
        }
        return times
    }

    func exists(_ path: String) -> Bool { access(root + path, F_OK) == 0 }

    /// Whether this process may read and write the file.
    func isUsable(_ path: String) -> Bool { access(root + path, R_OK | W_OK) == 0 }
}
