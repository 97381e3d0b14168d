// SPDX-License-Identifier: Apache-2.0

import CSQLite

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

    /// A NUL, at which SQLite's clients stop reading, becomes U+FFFD.
    static func text(_ value: String?) -> SQLValue {
        guard let value else { return .null }
        guard value.utf8.contains(0) else { return .string(value) }
        return .string(
            String(
                String.UnicodeScalarView(
                    value.unicodeScalars.map { $0 == "\0" ? "\u{FFFD}" : $0 })))
    }
}

extension SQLValue {
    func bind(to statement: OpaquePointer, at index: CInt) -> CInt {
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
