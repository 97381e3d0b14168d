// SPDX-License-Identifier: Apache-2.0

/// A table, an index or a trigger, as reported by SQLite.
struct SchemaObject: Hashable {
    let type: String?
    let name: String?
    let table: String?
    /// nil: an index that SQLite makes by itself.
    let sql: String?

    init(_ type: String?, _ name: String?, of table: String?, _ sql: String?) {
        self.type = type
        self.name = name
        self.table = table
        self.sql = sql
    }

    /// Those of an open database, in the order of types and names. Statistics tables created with ANALYZE
    /// are ignored.
    static func all(in database: Database) throws -> [SchemaObject] {
        try database.all(
            """
            SELECT type, name, tbl_name, sql FROM sqlite_master
            WHERE name NOT LIKE 'sqlite_stat%' ORDER BY type, name LIMIT 1000
            """
        ) { try SchemaObject($0[0], $0[1], of: $0[2], $0[3]) }
    }

    /// Those that `steps` create in an empty database.
    static func all(after steps: [String]) throws -> [SchemaObject] {
        let database = try Database(":memory:", .write, patience: 0)
        for step in steps { try database.execute(step) }
        return try all(in: database)
    }

    /// A name that only one schema has or that both define differently; nil if they are equal.
    static func difference(_ schema: [SchemaObject], _ other: [SchemaObject]) -> String? {
        Set(schema).symmetricDifference(other).compactMap(\.name).min()
    }
}
