// SPDX-License-Identifier: Apache-2.0

import CSQLite
import GRDB
import GRDBSQLite
import Glibc
import Synchronization

/// Makes a connection safe for a file that another user may have written: its schema is not trusted
/// and is compared with ours, the size of values is limited, and statements have a time limit.
final class ConnectionGuard: Sendable {
    /// Nanoseconds a statement may run.
    private let limit: Int64
    /// When the statement that runs must have ended, on CLOCK_MONOTONIC.
    private let deadline = Atomic<Int64>(.max)

    /// The maximum size of a value in bytes; a checkpoint has at most 4 MiB.
    private static let longestValue: CInt = 64 << 20
    /// SQLite instructions between two checks of the clock.
    private static let instructions: CInt = 50_000

    /// - Parameter limit: Seconds a statement may run.
    init(limit: Int64) {
        self.limit = limit * 1_000_000_000
    }

    /// Must be kept for as long as the connection is open.
    func protect(_ database: Database) throws {
        let connection = database.sqliteConnection
        let code = bgrun_sqlite_defend(connection.map(UnsafeMutableRawPointer.init))
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
        sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, Self.longestValue)
        sqlite3_limit(connection, SQLITE_LIMIT_ATTACHED, 0)
        let me = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_trace_v2(
            connection, UInt32(SQLITE_TRACE_STMT),
            { _, context, _, _ in
                if let context {
                    Unmanaged<ConnectionGuard>.fromOpaque(context).takeUnretainedValue().begin()
                }
                return 0
            }, me)
        sqlite3_progress_handler(
            connection, Self.instructions,
            { context in
                guard let context else { return 0 }
                let clock = Unmanaged<ConnectionGuard>.fromOpaque(context).takeUnretainedValue()
                return clock.isOver ? 1 : 0
            }, me)
    }

    private func begin() {
        let (date, isLate) = Self.now.addingReportingOverflow(limit)
        deadline.store(isLate ? .max : date, ordering: .relaxed)
    }

    private var isOver: Bool { Self.now > deadline.load(ordering: .relaxed) }

    private static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

/// The tables, indexes and triggers of a database, as reported by SQLite.
struct SchemaImage: Hashable {
    /// `type`, `name`, `tbl_name` and `sql` of each.
    private let objects: Set<[String?]>

    /// The schema that `steps` create in an empty database.
    init(of steps: [String]) throws {
        let queue = try DatabaseQueue()
        self = try queue.writeWithoutTransaction { database in
            for step in steps { try database.execute(sql: step) }
            return try SchemaImage(in: database)
        }
    }

    /// The schema of an open database. Statistics tables created with ANALYZE are ignored.
    init(in database: Database) throws {
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT type, name, tbl_name, sql FROM sqlite_master
                WHERE name NOT LIKE 'sqlite_stat%' LIMIT 1000
                """)
        objects = Set(rows.map { row in (0..<4).map { row[$0] as String? } })
    }

    /// A name that only one schema has or that both define differently; nil if they are equal.
    func difference(from other: SchemaImage) -> String? {
        objects.symmetricDifference(other.objects).compactMap { $0[1] }.min()
    }
}
