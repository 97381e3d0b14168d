// SPDX-License-Identifier: Apache-2.0

import GRDB
import GRDBSQLite

/// A value bound to a statement.
enum SQLValue {
    case null
    case integer(Int64)
    case string(String)
    case bytes([UInt8])

    static func int(_ value: (some BinaryInteger)?) -> SQLValue {
        value.map { .integer(Int64($0)) } ?? .null
    }

    static func int(_ value: Bool?) -> SQLValue {
        value.map { .integer($0 ? 1 : 0) } ?? .null
    }

    /// A NUL, after which SQLite's clients stop reading, becomes U+FFFD.
    static func text(_ value: String?) -> SQLValue {
        guard let value else { return .null }
        guard value.utf8.contains(0) else { return .string(value) }
        return .string(
            String(
                String.UnicodeScalarView(
                    value.unicodeScalars.map { $0 == "\0" ? "\u{FFFD}" : $0 })))
    }
}

extension Database {
    /// Runs a cached statement that returns no row and says how many rows it changed itself.
    ///
    /// Binds and steps without GRDB's argument arrays and observers, which add about a third to the
    /// small writes of a launch.
    @discardableResult
    func run(_ sql: String, _ values: [SQLValue] = []) throws -> Int {
        let statement = try cachedStatement(sql: sql).sqliteStatement
        defer {
            sqlite3_reset(statement)
            sqlite3_clear_bindings(statement)
        }
        for (index, value) in values.enumerated() {
            try check(value.bind(to: statement, at: CInt(index + 1)), sql)
        }
        try check(sqlite3_step(statement), sql)
        return Int(sqlite3_changes(sqliteConnection))
    }

    private func check(_ code: CInt, _ sql: String) throws {
        guard code != SQLITE_OK, code != SQLITE_DONE, code != SQLITE_ROW else { return }
        throw DatabaseError(
            resultCode: ResultCode(rawValue: code),
            message: String(cString: sqlite3_errmsg(sqliteConnection)), sql: sql)
    }
}

extension SQLValue {
    fileprivate func bind(to statement: OpaquePointer, at index: CInt) -> CInt {
        switch self {
        case .null:
            return sqlite3_bind_null(statement, index)
        case .integer(let value):
            return sqlite3_bind_int64(statement, index, value)
        case .string(var value):
            return value.withUTF8 { text in
                text.withMemoryRebound(to: CChar.self) {
                    sqlite3_bind_text64(
                        statement, index, $0.baseAddress, UInt64($0.count), transient,
                        UInt8(SQLITE_UTF8))
                }
            }
        case .bytes(let value):
            guard !value.isEmpty else { return sqlite3_bind_zeroblob(statement, index, 0) }
            return value.withUnsafeBytes {
                sqlite3_bind_blob64(statement, index, $0.baseAddress, UInt64($0.count), transient)
            }
        }
    }

    /// SQLite copies the bytes before the bind returns.
    private var transient: sqlite3_destructor_type {
        unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    }
}
