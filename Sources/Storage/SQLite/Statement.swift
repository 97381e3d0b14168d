// SPDX-License-Identifier: Apache-2.0

import CSQLite

/// A compiled statement. Its connection must outlive it.
final class Statement {
    let sql: String
    /// Whether it is between two rows: another user must compile a separate statement.
    private(set) var isInUse = false
    /// Its last use, counted in uses of the connection.
    var lastUse: UInt64 = 0
    private let connection: OpaquePointer
    private let handle: OpaquePointer

    /// Compiles `sql`, which must be one statement.
    init(_ sql: String, on connection: OpaquePointer) throws(SQLiteError) {
        var text = sql
        var handle: OpaquePointer?
        var isOne = false
        let code = text.withUTF8 { text in
            text.withMemoryRebound(to: CChar.self) { text in
                var rest: UnsafePointer<CChar>?
                let code = sqlite3_prepare_v3(
                    connection, text.baseAddress, CInt(text.count),
                    UInt32(SQLITE_PREPARE_PERSISTENT), &handle, &rest)
                isOne = rest == text.baseAddress.map { $0 + text.count }
                return code
            }
        }
        guard code == SQLITE_OK else { throw SQLiteError(code, of: connection, sql: sql) }
        guard let handle, isOne else { preconditionFailure("not one statement: \(sql)") }
        self.sql = sql
        self.connection = connection
        self.handle = handle
    }

    deinit { sqlite3_finalize(handle) }

    /// Binds a value to each parameter. `end` must follow.
    func begin(_ values: [SQLValue]) throws(SQLiteError) {
        precondition(!isInUse, "a statement is used twice at once: \(sql)")
        let count = sqlite3_bind_parameter_count(handle)
        guard values.count == Int(count) else {
            throw SQLiteError(
                SQLITE_RANGE, "\(values.count) values for \(count) parameters", sql: sql)
        }
        isInUse = true
        for (index, value) in values.enumerated() {
            let code = value.bind(to: handle, at: CInt(index + 1))
            guard code == SQLITE_OK else { throw SQLiteError(code, of: connection, sql: sql) }
        }
    }

    /// Returns whether there is another row.
    func step() throws(SQLiteError) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw SQLiteError(code, of: connection, sql: sql)
        }
    }

    /// The row found by `step`.
    var row: Row { Row(handle) }

    func end() {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
        isInUse = false
    }
}
