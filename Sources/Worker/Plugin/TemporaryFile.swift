// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A file that is removed unless it was moved or replaced meanwhile.
struct TemporaryFile {
    private let path: String
    private let device: dev_t
    private let inode: ino_t

    /// nil if the file does not exist.
    init?(_ path: String) {
        guard let status = Self.status(of: path) else { return nil }
        self.path = path
        device = status.st_dev
        inode = status.st_ino
    }

    func remove() {
        guard let status = Self.status(of: path), status.st_dev == device, status.st_ino == inode
        else { return }
        unlink(path)
    }

    /// Only of a regular file, not of a link to it.
    private static func status(of path: String) -> stat? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return status
    }
}
