// SPDX-License-Identifier: Apache-2.0

import CSQLite

/// The present row of a statement. The next step replaces it, so it cannot be copied or kept.
struct Row: ~Copyable {
    private let statement: OpaquePointer
    /// The number of columns.
    let count: Int

    /// - Parameter statement: A statement whose last step has found a row.
    init(_ statement: OpaquePointer) {
        self.statement = statement
        count = Int(sqlite3_data_count(statement))
    }

    /// A column with a value of another type is an error: any program may have written the file.
    subscript<Value: ColumnValue>(column: Int) -> Value {
        get throws(ColumnError) { try Value(self, column) }
    }

    /// The name of a column; SQLite names an expression by its whole text, which is not shown.
    func name(_ column: Int) -> String {
        guard let text = sqlite3_column_name(statement, index(column)) else {
            return "column \(column)"
        }
        let name = String(cString: text)
        return name.contains { !$0.isLetter && $0 != "_" } ? "value" : name
    }

    /// The value of a column, for people.
    func description(_ column: Int) -> String {
        let index = index(column)
        return switch sqlite3_column_type(statement, index) {
        case SQLITE_INTEGER: "\(sqlite3_column_int64(statement, index))"
        case SQLITE_FLOAT: "\(sqlite3_column_double(statement, index))"
        case SQLITE_TEXT: String(reflecting: text(index))
        case SQLITE_BLOB: "\(sqlite3_column_bytes(statement, index)) bytes"
        default: "NULL"
        }
    }

    func isNull(_ column: Int) -> Bool {
        sqlite3_column_type(statement, index(column)) == SQLITE_NULL
    }

    fileprivate func integer(_ column: Int) throws(ColumnError) -> Int64 {
        try require(SQLITE_INTEGER, column)
        return sqlite3_column_int64(statement, index(column))
    }

    fileprivate func text(_ column: Int) throws(ColumnError) -> String {
        try require(SQLITE_TEXT, column)
        return text(index(column))
    }

    fileprivate func bytes(_ column: Int) throws(ColumnError) -> [UInt8] {
        try require(SQLITE_BLOB, column)
        let start = sqlite3_column_blob(statement, index(column))
        let count = Int(sqlite3_column_bytes(statement, index(column)))
        return [UInt8](UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
    }

    private func text(_ index: CInt) -> String {
        // In this order: the first call may convert the text, and the second one counts its bytes.
        let start = sqlite3_column_text(statement, index)
        let count = Int(sqlite3_column_bytes(statement, index))
        return String(
            decoding: UnsafeBufferPointer(start: start, count: start == nil ? 0 : count),
            as: UTF8.self)
    }

    private func require(_ type: CInt, _ column: Int) throws(ColumnError) {
        guard sqlite3_column_type(statement, index(column)) == type else {
            throw ColumnError(column: name(column), value: description(column))
        }
    }

    private func index(_ column: Int) -> CInt {
        precondition((0..<count).contains(column), "column \(column) of \(count)")
        return CInt(column)
    }
}

/// A column contains a value that no version of bgrun writes.
struct ColumnError: Error, Equatable, CustomStringConvertible {
    let column: String
    let value: String

    var description: String { "\(column) is \(value)" }
}

/// A type that a column can be read as.
protocol ColumnValue {
    init(_ row: borrowing Row, _ column: Int) throws(ColumnError)
}

extension ColumnValue where Self: FixedWidthInteger {
    init(_ row: borrowing Row, _ column: Int) throws(ColumnError) {
        let value = try row.integer(column)
        guard let exact = Self(exactly: value) else {
            throw ColumnError(column: row.name(column), value: "\(value)")
        }
        self = exact
    }
}

extension Int: ColumnValue {}
extension Int32: ColumnValue {}
extension Int64: ColumnValue {}
extension UInt32: ColumnValue {}

extension Bool: ColumnValue {
    init(_ row: borrowing Row, _ column: Int) throws(ColumnError) {
        self = try row.integer(column) != 0
    }
}

extension String: ColumnValue {
    init(_ row: borrowing Row, _ column: Int) throws(ColumnError) {
        self = try row.text(column)
    }
}

extension [UInt8]: ColumnValue {
    init(_ row: borrowing Row, _ column: Int) throws(ColumnError) {
        self = try row.bytes(column)
    }
}

extension Optional: ColumnValue where Wrapped: ColumnValue {
    init(_ row: borrowing Row, _ column: Int) throws(ColumnError) {
        self = row.isNull(column) ? nil : try Wrapped(row, column)
    }
}
