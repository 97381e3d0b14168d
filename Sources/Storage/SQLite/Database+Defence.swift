// SPDX-License-Identifier: Apache-2.0

import CSQLite

extension Database {
    /// The maximum size of a value in bytes; a checkpoint has at most 4 MiB.
    private static let longestValue: CInt = 64 << 20

    /// Makes the connection safe for a file that another user may have written: its schema is not trusted,
    /// the size of values is limited, and statements have a time limit in seconds.
    func defend(limit: Int64) throws(SQLiteError) {
        let code = bgrun_sqlite_defend(connection)
        guard code == SQLITE_OK else { throw SQLiteError(code) }
        sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, Self.longestValue)
        sqlite3_limit(connection, SQLITE_LIMIT_ATTACHED, 0)
        limitTime(seconds: limit)
    }
}
