// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A read-only file system, including one that the kernel has remounted read-only after an error.
enum ReadOnlyDisk {
    /// Whether `path` exists and is on one. SQLite reports this as a file that cannot be opened.
    static func holds(_ path: String) -> Bool {
        access(path, W_OK) != 0 && errno == EROFS
    }

    /// The message for a path on one.
    static func message(_ path: String) -> String {
        "\(path) is on a read-only file system; remount it for writing, or use another --state "
            + "(after an error of the disk, dmesg has the cause)"
    }
}
