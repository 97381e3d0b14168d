// SPDX-License-Identifier: Apache-2.0

import Glibc

extension StorageSnapshot {
    /// Of the file system `directory` is on, or will be on once it exists; nil when nothing tells.
    init?(directory: String) {
        var path = directory
        var status = statvfs()
        while statvfs(path, &status) != 0 {
            guard errno == ENOENT, let slash = path.lastIndex(of: "/") else { return nil }
            path = slash == path.startIndex ? "/" : String(path[..<slash])
        }
        self.init(
            size: Self.bytes(status.f_blocks, of: status.f_frsize),
            free: Self.bytes(status.f_bavail, of: status.f_frsize),
            files: UInt64(clamping: status.f_files), freeFiles: UInt64(clamping: status.f_favail))
    }

    /// A file system of a user may claim any number of blocks.
    static func bytes(_ blocks: UInt, of size: UInt) -> UInt64 {
        let (bytes, overflow) = blocks.multipliedReportingOverflow(by: size)
        return overflow ? .max : UInt64(clamping: bytes)
    }
}
