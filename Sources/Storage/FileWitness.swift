// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Glibc

/// Detects that something other than SQLite has removed, replaced or overwritten the database, its log or the log's
/// index.
///
/// A commit is written to the log beside the file, and gives a minimum length of the log. The file itself changes when
/// a connection copies the log into it. The contents are checked after such a change, unless it was recorded here.
struct FileWitness {
    private let path: String
    private let format: DatabaseFormat
    /// The number of the opened database; nil: it has none.
    private let identity: Int64?
    /// The page size of the log, in bytes.
    private let pageSize: Int64
    private var seen: State
    /// The last number of synced commits, and the last known one of the file without its log.
    private var commits: Int64
    private var copied: Int64
    /// The current second of the clock; tests replace it.
    var second: () -> time_t = Self.monotonicSecond
    /// The second of the last check.
    private var checked = Self.monotonicSecond()

    /// The files of a database at one time.
    private struct State: Equatable {
        var database: File?
        var log: File?
        var index: File?

        init(_ path: String) {
            database = File(path)
            log = File(path + "-wal")
            index = File(path + "-shm")
            // SQLite writes to both at every commit.
            log?.modified = nil
            index?.modified = nil
            index?.size = 0
        }

        /// Whether each file that existed still exists unreplaced.
        func keeps(_ old: State) -> Bool {
            File.isSame(database, as: old.database) && File.isSame(log, as: old.log)
                && File.isSame(index, as: old.index)
        }

        /// Whether only commits, which extend the log, have happened since `old`.
        func onlyExtends(_ old: State) -> Bool {
            database == old.database && (log?.size ?? 0) >= (old.log?.size ?? 0)
        }
    }

    fileprivate struct File: Equatable {
        struct Date: Equatable {
            var seconds: Int
            var nanoseconds: Int
        }

        let device: dev_t
        let inode: ino_t
        var size: Int64
        var modified: Date?

        init?(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            (device, inode, size) = (status.st_dev, status.st_ino, Int64(status.st_size))
            modified = Date(seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec)
        }

        /// Whether `file` is `old`, or no file existed.
        static func isSame(_ file: File?, as old: File?) -> Bool {
            guard let old else { return true }
            return file?.device == old.device && file?.inode == old.inode
        }
    }

    /// - Parameter path: The path of `database`.
    init(
        _ path: String, _ format: DatabaseFormat, identity: Int64?, _ database: Database
    ) throws {
        self.path = path
        self.format = format
        self.identity = identity
        pageSize = try database.value("PRAGMA page_size") ?? 0
        seen = State(path)
        commits = try StoreIdentity.commits(database)
        copied = StoreFile.hasLog(path) ? 0 : commits
    }

    /// Throws `replaced` if the next write of `database` would be lost, or would go into another one than the opened
    /// one. Its connection then keeps the log when it closes: the log may belong to the other one.
    mutating func check(_ database: Database) throws(StoreError) {
        do { try check() } catch {
            database.keepLog()
            throw error
        }
    }

    private mutating func check() throws(StoreError) {
        checked = second()
        let now = State(path)
        guard now.keeps(seen) else { throw .replaced(path: path) }
        if !now.onlyExtends(seen) {
            guard let isOurs else { return }
            guard isOurs else { throw .replaced(path: path) }
            copied = StoreIdentity.commitsInFile(path) ?? copied
        }
        seen = now
    }

    /// Whether the last check was in another second.
    var isDue: Bool { second() != checked }

    private static func monotonicSecond() -> time_t {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        return time.tv_sec
    }

    /// Records the length of the log after a commit of this connection, without access to it.
    mutating func noteCommit(frames: Int64) {
        // From the file format: the header of the log, and that of each frame.
        seen.log?.size = 32 + frames * (24 + pageSize)
    }

    /// Records the number of synced commits after one of this connection.
    mutating func noteCommits(_ count: Int64) { commits = count }

    /// Records that this connection has copied the log into the file, after a check.
    mutating func noteCheckpoint() {
        let file = File(path)
        guard File.isSame(file, as: seen.database) else { return }
        seen.database = file
        copied = StoreIdentity.commitsInFile(path) ?? copied
    }

    /// Another program's lock, a shortage of descriptors, memory or locks, and the time limit.
    private static let passing = [
        SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL, SQLITE_CANTOPEN, SQLITE_NOMEM, SQLITE_IOERR,
        SQLITE_INTERRUPT,
    ]

    /// Whether the file without its log is another database, or an earlier copy. It is read twice: another connection
    /// may be writing to it.
    private var isOther: Bool {
        (0..<2).allSatisfy { _ in
            let (number, count) = (StoreIdentity.inFile(path), StoreIdentity.commitsInFile(path))
            return identity != nil && number != nil && number != identity
                || (count ?? copied) < copied
        }
    }

    /// Whether the file is the opened database, or a later state of it, even to a connection with an empty page cache;
    /// nil: it cannot be read now.
    private var isOurs: Bool? {
        do {
            // The log may hide data that was written over the file.
            guard !isOther else { return false }
            let database = try format.open(path, readOnly: true)
            guard try identity == nil || StoreIdentity.read(database) == identity,
                try StoreIdentity.commits(database) >= commits
            else { return false }
            // Others copy the log of transfers, too often to read all of them each time.
            guard format.isStore else { return true }
            return try database.all("PRAGMA quick_check(1)") { try $0[0] as String } == ["ok"]
        } catch {
            guard let error = error as? SQLiteError else { return false }
            let isShort = error.extendedCode == SQLITE_IOERR | 2 << 8
            return Self.passing.contains(error.code) && !isShort ? nil : false
        }
    }
}
