// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The identity of a file and its modification time. A file with the same stamp was neither replaced nor
/// modified.
package struct FileStamp: Equatable, Sendable {
    private let device: dev_t
    private let inode: ino_t
    private let size: off_t
    private let seconds: Int
    private let nanoseconds: Int

    package init(_ status: stat) {
        (device, inode, size) = (status.st_dev, status.st_ino, status.st_size)
        (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
    }

    /// The stamp of the file at `path`; nil if it cannot be examined.
    package init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }
}
