// SPDX-License-Identifier: Apache-2.0

import GRDB
import Glibc

/// Notices that the database file was removed, replaced or overwritten by something other than SQLite.
///
/// A commit goes to the log beside the file. The file itself changes when a connection copies the log into
/// it: this one, whose changes are recorded, or another one, after which the content is checked.
struct FileWitness {
    private let path: String
    private var seen: State?

    private struct State: Equatable {
        var device: dev_t
        var inode: ino_t
        var size: off_t
        var seconds: Int
        var nanoseconds: Int

        init?(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            (device, inode, size) = (status.st_dev, status.st_ino, status.st_size)
            (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
        }

        func isSameFile(as other: State) -> Bool {
            device == other.device && inode == other.inode
        }
    }

    /// - Parameter path: The file, which is open.
    init(_ path: String) {
        self.path = path
        seen = State(path)
    }

    /// Throws `replaced` when what is written next would be lost, or would go into a database that is not
    /// the one that was opened.
    mutating func check() throws(StoreError) {
        let now = State(path)
        guard now != seen else { return }
        guard let now, let seen, now.isSameFile(as: seen), isSound else {
            throw .replaced(path: path)
        }
        self.seen = now
    }

    /// Records what this connection has done to the file.
    mutating func note() {
        seen = State(path)
    }

    /// Whether the file is a database of ours, also to a connection that has none of its pages in memory.
    private var isSound: Bool {
        do {
            let queue = try DatabaseFormat.app.open(path, readOnly: true)
            return try queue.read { try String.fetchAll($0, sql: "PRAGMA quick_check(1)") } == [
                "ok"
            ]
        } catch {
            return false
        }
    }
}
