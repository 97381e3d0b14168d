// SPDX-License-Identifier: Apache-2.0

import BGRunCore
import GRDB

/// A row of a database that any program of its user may have written: an invalid column is an error
/// and never ends this process.
struct StoredRow {
    private let row: Row

    init(_ row: Row) { self.row = row }

    subscript<Value: DatabaseValueConvertible & StatementColumnConvertible>(
        column: Int
    ) -> Value {
        get throws { try row.decode(Value.self, atIndex: column) }
    }

    /// The valid numbers of requests and attempts, and values of counters.
    static let ids: ClosedRange<Int64> = 0...(1 << 62)

    /// The base of a counter.
    func id(_ column: Int) throws -> Int64 {
        try within(Self.ids, self[column], column)
    }

    /// How often something has happened.
    func count(_ column: Int) throws -> Int {
        Int(try within(0...Int64(Int32.max), self[column], column))
    }

    /// Any date: a clock may have stood anywhere when it was stored.
    func date(_ column: Int) throws -> WallTime {
        WallTime(milliseconds: try self[column])
    }

    func optionalDate(_ column: Int) throws -> WallTime? {
        (try self[column] as Int64?).map { WallTime(milliseconds: $0) }
    }

    /// A length of time that is not negative, at most about 146 years.
    func optionalLength(_ column: Int) throws -> Interval? {
        guard let value = try self[column] as Int64? else { return nil }
        return Interval(nanoseconds: try within(0...(1 << 62), value, column))
    }

    /// A length of time that is stored in milliseconds.
    func optionalMilliseconds(_ column: Int) throws -> Interval? {
        guard let value = try self[column] as Int64? else { return nil }
        return .milliseconds(try within(0...(1 << 42), value, column))
    }

    private func within(
        _ range: ClosedRange<Int64>, _ value: Int64, _ column: Int
    ) throws -> Int64 {
        guard range.contains(value) else { throw OutOfRange(column: name(column), value: value) }
        return value
    }

    /// The name of a column; SQLite names an expression after its whole text, which is not shown.
    private func name(_ column: Int) -> String {
        let names = Array(row.columnNames)
        guard names.indices.contains(column) else { return "column \(column)" }
        let isExpression = names[column].contains { !$0.isLetter && $0 != "_" }
        return isExpression ? "value" : names[column]
    }

    /// Its key for people: the name and the value of its first column.
    var place: String {
        guard row.count > 0 else { return "without columns" }
        return "\(name(0)) \(row.databaseValues.first?.description ?? "")"
    }
}

/// A column holds a number that no version of bgrun writes.
struct OutOfRange: Error, CustomStringConvertible {
    let column: String
    let value: Int64

    var description: String { "\(column) is \(value)" }
}

/// An unreadable row. It is skipped; the others are used.
public struct DamagedRow: Hashable, Sendable {
    public var path: String
    public var table: String
    /// The name and the value of its first column.
    public var row: String
    public var detail: String

    /// The finding and the remedy.
    public var message: String {
        "\(path): the row of \(table) with \(row) is damaged (\(detail)) and is left aside; while "
            + "no host runs, look at it with sqlite3 and correct it or delete it"
    }
}
