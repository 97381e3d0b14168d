// SPDX-License-Identifier: Apache-2.0

import CSQLite

/// An error that SQLite has reported.
struct SQLiteError: Error, Hashable {
    /// The extended result code.
    let extendedCode: CInt
    let message: String
    /// The statement that failed, if one did.
    let sql: String?
    /// The error of the system call that failed, if one did.
    var systemCode: CInt = 0

    /// The result code without its extension.
    var code: CInt { extendedCode & 0xFF }

    /// - Parameter message: nil: SQLite's words for the code.
    init(_ extendedCode: CInt, _ message: String? = nil, sql: String? = nil) {
        self.extendedCode = extendedCode
        self.message = message ?? String(cString: sqlite3_errstr(extendedCode))
        self.sql = sql
    }

    /// The error of the last call on `connection`, which has returned `code`.
    init(_ code: CInt, of connection: OpaquePointer, sql: String? = nil) {
        self.init(code, String(cString: sqlite3_errmsg(connection)), sql: sql)
        if self.code == SQLITE_IOERR || self.code == SQLITE_CANTOPEN {
            systemCode = sqlite3_system_errno(connection)
        }
    }
}
