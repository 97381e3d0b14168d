// SPDX-License-Identifier: Apache-2.0

public import BGRunCore
import GRDB
import GRDBSQLite

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
    private var file: FileWitness
    /// Of the last commit.
    private(set) var durability = Durability.normal
    /// Damaged rows found while reading.
    public internal(set) var damaged: Set<DamagedRow> = []
    /// Called once with each of them, when it is found.
    public var foundDamage: ((DamagedRow) -> Void)?
    /// The last attempt that `prune` has looked at; a new pass begins after 0.
    var pruneCursor: Int64 = 0

    /// Opens the store at `path`. Unless `readOnly`, it is created when missing and brought up to
    /// the current schema when older.
    ///
    /// A database of a newer bgrun or of another application is refused before anything is written
    /// beside or into it.
    public static func open(_ path: String, readOnly: Bool = false) throws(StoreError) -> Store {
        try attempt(path) {
            let queue = try DatabaseFormat.app.open(path, readOnly: readOnly)
            if !readOnly { try queue.writeWithoutTransaction { try recountPending($0) } }
            return Store(path, readOnly: readOnly, queue)
        }
    }

    /// Counts the pending requests again when a stored count is out of range, since triggers could not
    /// change it any more.
    private static func recountPending(_ database: Database) throws {
        // ";" is the character after ":".
        let counts = "name > 'pending:' AND name < 'pending;'"
        let damaged = try Row.fetchOne(
            database,
            sql: "SELECT 1 FROM fact WHERE \(counts) AND value NOT BETWEEN 0 AND ? LIMIT 1",
            arguments: [StoredRow.ids.upperBound])
        guard damaged != nil else { return }
        try database.transaction {
            try database.execute(
                sql: """
                    DELETE FROM fact WHERE \(counts);
                    INSERT INTO fact SELECT 'pending:' || kind, count(*) FROM request GROUP BY kind;
                    """)
        }
    }

    private init(_ path: String, readOnly: Bool, _ queue: DatabaseQueue) {
        self.path = path
        isWritable = !readOnly
        self.queue = queue
        file = FileWitness(path)
    }

    private static let usualPatience = Interval.milliseconds(
        Int64(DatabaseFormat.app.patience * 1_000))

    private static func wait(_ patience: Interval, on database: Database) {
        sqlite3_busy_timeout(
            database.sqliteConnection, CInt(clamping: patience.nanoseconds / 1_000_000))
    }

    /// Makes all of `changes`, in order, in one transaction, or none.
    ///
    /// - Parameter patience: How long to block for another program that is writing; nil: the
    ///   default.
    ///
    /// After `unavailable` or `full` the store is as it was before the call; the host may try again.
    /// With no changes nothing is written, whatever the durability.
    public func apply(
        _ changes: [StoreChange], durability: Durability, patience: Interval? = nil
    ) throws(StoreError) {
        guard !changes.isEmpty else { return }
        try accessToWrite { database in
            if let patience { Self.wait(patience, on: database) }
            defer { if patience != nil { Self.wait(Self.usualPatience, on: database) } }
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

    /// Throws `replaced` when the files are not those that were opened.
    public func checkFiles() throws(StoreError) {
        try file.check()
    }

    /// The same for a `body` that writes.
    func accessToWrite<Value>(_ body: (Database) throws -> Value) throws(StoreError) -> Value {
        try file.check()
        defer { file.note() }
        return try access(body)
    }

    static func attempt<Value>(
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
