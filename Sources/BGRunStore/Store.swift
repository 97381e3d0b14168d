// SPDX-License-Identifier: Apache-2.0

import GRDB
import GRDBSQLite
import Glibc

/// What an app remembers: pending requests, attempts, checkpoints, output and events, in one SQLite
/// file.
///
/// Not `Sendable`: a store belongs to the thread that opened it, and its calls block until the
/// operating system has taken or given the bytes. Whoever opens it for writing holds the app's
/// `HostLock`; any number of other processes may have it open for reading at the same time.
public final class Store {
    /// The file it was opened at.
    public let path: String
    /// False when the store was opened for reading only: `apply` and `prune` throw then.
    public let isWritable: Bool
    private let queue: DatabaseQueue
    private var durability = Durability.normal
    /// The last attempt that `prune` has looked at; a new pass begins after 0.
    var pruneCursor: Int64 = 0

    /// Opens the store at `path`. Unless `readOnly`, it is created when missing and brought up to
    /// the current schema when older.
    ///
    /// A database of a newer bgrun or of another application is refused before anything is written
    /// beside or into it.
    public static func open(_ path: String, readOnly: Bool = false) throws(StoreError) -> Store {
        try attempt(path) {
            let found = try StoreFile.schemaVersion(of: path)
            if readOnly {
                try StoreFile.checkReadable(path, version: found)
            } else if found == nil {
                try StoreFile.create(path)
            }
            return try Store(path, readOnly: readOnly)
        }
    }

    private init(_ path: String, readOnly: Bool) throws {
        var configuration = Configuration()
        configuration.readonly = readOnly
        configuration.foreignKeysEnabled = false
        configuration.busyMode = .timeout(2)
        self.path = path
        isWritable = !readOnly
        queue = try DatabaseQueue(path: path, configuration: configuration)
        guard !readOnly else { return }
        try queue.writeWithoutTransaction { database in
            // Counts for a new file only. A commit writes whole pages to the log, and ours change
            // a row or two of each.
            try database.execute(sql: "PRAGMA page_size = 1024")
            let isMigrated = try Migrator(steps: Schema.steps, path: path).migrate(database)
            try database.execute(
                sql: """
                    PRAGMA journal_mode = WAL;
                    PRAGMA synchronous = NORMAL;
                    PRAGMA wal_autocheckpoint = 4000;
                    PRAGMA journal_size_limit = 16777216;
                    """)
            // From here on the file itself, not only its log, says which version it has.
            if isMigrated { try database.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
        }
    }

    /// Makes all of `changes`, in order, in one transaction, or none.
    ///
    /// After `unavailable` or `full` the store is as it was before the call; the host may try again.
    /// With no changes nothing is written, whatever the durability.
    public func apply(
        _ changes: [StoreChange], durability: Durability
    ) throws(StoreError) {
        guard !changes.isEmpty else { return }
        try access { database in
            try self.commit(with: durability, on: database)
            try database.transaction {
                for change in changes { try database.apply(change) }
            }
        }
    }

    /// Runs `body` on the connection; every error becomes a `StoreError`.
    func access<Value>(_ body: (Database) throws -> Value) throws(StoreError) -> Value {
        try Store.attempt(path) {
            try queue.unsafeReentrantWrite(body)
        }
    }

    private static func attempt<Value>(
        _ path: String, _ body: () throws -> Value
    ) throws(StoreError) -> Value {
        do { return try body() } catch { throw StoreError(error, path: path) }
    }

    /// SQLite reads this pragma when it is compiled, so a cached statement would change nothing.
    private func commit(with wanted: Durability, on database: Database) throws {
        guard wanted != durability else { return }
        let level = wanted == .full ? "FULL" : "NORMAL"
        let code = sqlite3_exec(
            database.sqliteConnection, "PRAGMA synchronous = \(level)", nil, nil, nil)
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
        durability = wanted
    }
}

extension Database {
    /// Commits what `body` does, or nothing of it.
    func transaction<Value>(_ body: () throws -> Value) throws -> Value {
        try run("BEGIN IMMEDIATE")
        do {
            let value = try body()
            try run("COMMIT")
            return value
        } catch {
            // SQLite has rolled back by itself after most failures of the disk.
            if isInsideTransaction { try run("ROLLBACK") }
            throw error
        }
    }
}
