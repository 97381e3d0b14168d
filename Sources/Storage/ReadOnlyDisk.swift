// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A file system that can be read but not written, also one that the kernel has changed to that after an error.
enum ReadOnlyDisk {
    /// Whether `path` exists and is on one. SQLite reports this as a file that cannot be opened.
    static func holds(_ path: String) -> Bool {
        access(path, W_OK) != 0 && errno == EROFS
    }

    /// What is said of a path on one.
    static func message(_ path: String) -> String {
        "\(path) is on a read-only file system; remount it for writing, or use another --state "
            + "(after an error of the disk, dmesg has the cause)"
    }
}
