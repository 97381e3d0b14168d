// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// Any program of its user may have written a database: an invalid column is an error and never ends this process.
extension Row {
    /// The valid numbers of requests and attempts, and the valid values of counters.
    static let ids: ClosedRange<Int64> = 0...(1 << 62)

    /// The value of a counter.
    func id(_ column: Int) throws -> Int64 {
        try within(Self.ids, self[column], column)
    }

    /// The number of a request, an attempt, a push or a hook.
    func ordinal(_ column: Int) throws -> Int64 {
        try within(1...Self.ids.upperBound, self[column], column)
    }

    /// The number of occurrences of something.
    func count(_ column: Int) throws -> Int {
        Int(try within(0...Int64(Int32.max), self[column], column))
    }

    /// Any date: the clock may have been wrong when it was stored.
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

    /// A length of time stored in milliseconds.
    func optionalMilliseconds(_ column: Int) throws -> Interval? {
        guard let value = try self[column] as Int64? else { return nil }
        return .milliseconds(try within(0...(1 << 42), value, column))
    }

    private func within(
        _ range: ClosedRange<Int64>, _ value: Int64, _ column: Int
    ) throws -> Int64 {
        guard range.contains(value) else {
            throw ColumnError(column: name(column), value: "\(value)")
        }
        return value
    }

    /// Its key for people: the name and the value of its first column.
    var place: String { count > 0 ? "\(name(0)) \(description(0))" : "without columns" }
}

/// An unreadable row. It is skipped; the others are used.
package struct DamagedRow: Hashable, Sendable {
    package var path: String
    var table: String
    /// The name and the value of its first column.
    var row: String
    var detail: String

    /// The problem and the remedy.
    package var message: String {
        "\(path): the row of \(table) with \(row) is damaged (\(detail)) and is left aside; while "
            + "no host runs, look at it with sqlite3 and correct it or delete it"
    }
}
