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
            size: UInt64(status.f_blocks) * UInt64(status.f_frsize),
            free: UInt64(status.f_bavail) * UInt64(status.f_frsize),
            files: UInt64(status.f_files), freeFiles: UInt64(status.f_favail))
    }
}
