// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import CBGRunShims
import CSQLite

/// A connection to a SQLite database.
///
/// Not `Sendable`: SQLite is configured for use by one thread at a time. Calls may be nested: the body of `forEach` may
/// run statements, even the same one.
final class Database {
    enum Access: Equatable {
        /// The file must exist.
        case write
        case read
        /// Without a lock and without reading the log: for a file that no process changes.
        case readFileAlone
    }

    let connection: OpaquePointer
    private var cache: [String: Statement] = [:]
    private var uses: UInt64 = 0
    /// The time limit of a statement in nanoseconds; nil: no limit.
    private(set) var limit: Int64?
    /// The deadline of the running statement, on CLOCK_MONOTONIC; nil: the clock was not read yet.
    private var deadline: Int64?
    /// The number of frames in the log after the last commit, until `takeLogFrames` is called.
    private var logFrames: Int64?

    /// The maximum number of cached statements: filters of every length must not add up.
    static let keptStatements = 100
    /// The maximum size of a value in bytes; a checkpoint has at most 4 MiB.
    private static let longestValue: CInt = 64 << 20
    /// SQLite instructions between two checks of the clock.
    private static let instructions: CInt = 50_000

    /// - Parameter timeout: The maximum wait for another connection's transaction, in seconds.
    init(_ path: String, _ access: Access, timeout: Double) throws(SQLiteError) {
        var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        flags |= access == .write ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY
        var name = path
        if access == .readFileAlone {
            name = "file:\(Self.escaped(path))?immutable=1"
            flags |= SQLITE_OPEN_URI
        }
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(name, &opened, flags, nil)
        guard code == SQLITE_OK, let opened else {
            let error = opened.map { SQLiteError(code, of: $0) } ?? SQLiteError(code)
            sqlite3_close(opened)
            throw error
        }
        connection = opened
        setTimeout(milliseconds: Int64(timeout * 1_000))
    }

    deinit {
        // Every use of a statement ends before the call that began it, so none is in use here.
        cache.removeAll()
        let code = sqlite3_close(connection)
        precondition(code == SQLITE_OK, "a statement outlives its connection")
    }

    /// `path` with escapes for the characters that are special in a URI.
    private static func escaped(_ path: String) -> String {
        path.unicodeScalars.reduce(into: "") { name, scalar in
            switch scalar {
            case "?", "#", "%": name += "%" + String(scalar.value, radix: 16)
            default: name.unicodeScalars.append(scalar)
            }
        }
    }

    func setTimeout(milliseconds: Int64) {
        sqlite3_busy_timeout(connection, CInt(clamping: milliseconds))
    }

    // MARK: statements

    /// Runs a cached statement to its end and returns the number of changed rows, which is valid for INSERT, UPDATE and
    /// DELETE only.
    @discardableResult
    func run(_ sql: String, _ values: [SQLValue] = []) throws(SQLiteError) -> Int {
        let statement = try begin(sql, values)
        defer { statement.end() }
        while try statement.step() {}
        return Int(sqlite3_changes(connection))
    }

    /// Calls `body` with each row that a cached statement returns.
    func forEach(
        _ sql: String, _ values: [SQLValue] = [], _ body: (borrowing Row) throws -> Void
    ) throws {
        let statement = try begin(sql, values)
        defer { statement.end() }
        while try statement.step() { try body(statement.row) }
    }

    /// The result of `read` for each row.
    func all<Value>(
        _ sql: String, _ values: [SQLValue] = [], _ read: (borrowing Row) throws -> Value
    ) throws -> [Value] {
        var found: [Value] = []
        try forEach(sql, values) { found.append(try read($0)) }
        return found
    }

    /// The result of `read` for the first row; nil: no row.
    func first<Value>(
        _ sql: String, _ values: [SQLValue] = [], _ read: (borrowing Row) throws -> Value
    ) throws -> Value? {
        let statement = try begin(sql, values)
        defer { statement.end() }
        return try statement.step() ? read(statement.row) : nil
    }

    /// The first column of the first row; nil: no row.
    func value<Value: ColumnValue>(_ sql: String, _ values: [SQLValue] = []) throws -> Value? {
        try first(sql, values) { try $0[0] as Value }
    }

    /// Runs the statements of `script`, uncached. Use it for pragmas that SQLite applies when they are compiled.
    func execute(_ script: String) throws(SQLiteError) {
        var text = script
        let code: CInt = text.withUTF8 { text in
            text.withMemoryRebound(to: CChar.self) { text in
                guard var next = text.baseAddress else { return SQLITE_OK }
                let end = next + text.count
                while next < end {
                    var statement: OpaquePointer?
                    var rest: UnsafePointer<CChar>?
                    var code = sqlite3_prepare_v2(
                        connection, next, CInt(end - next), &statement, &rest)
                    if statement != nil {
                        deadline = nil
                        repeat { code = sqlite3_step(statement) } while code == SQLITE_ROW
                        sqlite3_finalize(statement)
                    }
                    guard code == SQLITE_OK || code == SQLITE_DONE else { return code }
                    next = rest ?? end
                }
                return SQLITE_OK
            }
        }
        guard code == SQLITE_OK else { throw SQLiteError(code, of: connection, sql: script) }
    }

    private func begin(_ sql: String, _ values: [SQLValue]) throws(SQLiteError) -> Statement {
        let statement = try statement(sql)
        do { try statement.begin(values) } catch {
            statement.end()
            throw error
        }
        deadline = nil
        return statement
    }

    private func statement(_ sql: String) throws(SQLiteError) -> Statement {
        uses += 1
        let kept = cache[sql]
        if let kept, !kept.isInUse {
            kept.lastUse = uses
            return kept
        }
        let statement = try Statement(sql, on: connection)
        guard kept == nil else { return statement }
        if cache.count >= Self.keptStatements,
            let oldest = cache.values.min(by: { $0.lastUse < $1.lastUse })
        {
            cache[oldest.sql] = nil
        }
        statement.lastUse = uses
        cache[sql] = statement
        return statement
    }

    // MARK: transactions

    var isInsideTransaction: Bool { sqlite3_get_autocommit(connection) == 0 }
    var lastInsertedRowID: Int64 { sqlite3_last_insert_rowid(connection) }

    /// Commits the changes of `body`, or none of them.
    func transaction<Value>(
        _ begin: String = "BEGIN IMMEDIATE", _ body: () throws -> Value
    ) throws -> Value {
        try run(begin)
        do {
            let value = try body()
            try run("COMMIT")
            return value
        } catch {
            // After most disk errors SQLite has already rolled back.
            if isInsideTransaction { try run("ROLLBACK") }
            throw error
        }
    }

    /// Makes SQLite count the log's frames at each commit, instead of copying a long log into the file by itself.
    func countLogFrames() {
        sqlite3_wal_hook(
            connection,
            { context, _, _, frames in
                if let context {
                    let me = Unmanaged<Database>.fromOpaque(context).takeUnretainedValue()
                    me.logFrames = Int64(frames)
                }
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// The number of frames in the log after commits since the last call; nil: there was no commit.
    func takeLogFrames() -> Int64? {
        defer { logFrames = nil }
        return logFrames
    }

    /// Copies the part of the log that no reader needs into the file. The previous commit is complete: after an error
    /// the log still has everything, and the next call retries.
    func checkpoint() {
        sqlite3_wal_checkpoint_v2(connection, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
    }

    /// Makes SQLite keep the log, without copying it into the file, when the connection is closed.
    func keepLog() { bgrun_sqlite_keep_log(connection) }

    // MARK: defence

    /// Makes the connection safe for a file that another user may have written: its schema is not trusted, the size of
    /// values is limited, and statements have a time limit in seconds.
    func defend(limit seconds: Int64) throws(SQLiteError) {
        let code = bgrun_sqlite_defend(connection)
        guard code == SQLITE_OK else { throw SQLiteError(code) }
        sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, Self.longestValue)
        sqlite3_limit(connection, SQLITE_LIMIT_ATTACHED, 0)
        limit = seconds * 1_000_000_000
        sqlite3_progress_handler(
            connection, Self.instructions,
            { context in
                guard let context else { return 0 }
                return Unmanaged<Database>.fromOpaque(context).takeUnretainedValue().isLate ? 1 : 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// The first check of the clock, shortly after a statement has begun, sets its deadline: short statements never
    /// check it.
    private var isLate: Bool {
        guard let limit else { return false }
        let now = bgrun_monotonic_ns()
        guard let deadline else {
            deadline = now.saturatingAdding(limit)
            return false
        }
        return now > deadline
    }
}
