// SPDX-License-Identifier: Apache-2.0

import CSQLite

/// An error that SQLite has reported.
struct SQLiteError: Error, Equatable {
    /// The extended result code.
    let extendedCode: CInt
    let message: String
    /// The failed statement, if any.
    let sql: String?
    /// The error of the failed system call, if any.
    var systemCode: CInt = 0

    /// The result code without its extension.
    var code: CInt { extendedCode & 0xFF }

    /// SQLITE_CANTOPEN, and SQLITE_IOERR for READ, WRITE, FSYNC, TRUNCATE, SHMOPEN, SHMSIZE and SHMMAP: for other
    /// codes, the last system error may be from an earlier call.
    private static let systemFailures = Set(
        [SQLITE_CANTOPEN] + [1, 3, 4, 6, 18, 19, 21].map { SQLITE_IOERR | $0 << 8 })

    /// - Parameter message: nil: SQLite's message for the code.
    init(_ extendedCode: CInt, _ message: String? = nil, sql: String? = nil) {
        self.extendedCode = extendedCode
        self.message = message ?? String(cString: sqlite3_errstr(extendedCode))
        self.sql = sql
    }

    /// The error of the last call on `connection`, which returned `code`.
    init(_ code: CInt, of connection: OpaquePointer, sql: String? = nil) {
        self.init(code, String(cString: sqlite3_errmsg(connection)), sql: sql)
        if Self.systemFailures.contains(code) { systemCode = sqlite3_system_errno(connection) }
    }
}
