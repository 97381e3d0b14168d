// SPDX-License-Identifier: Apache-2.0

/// The tables, indexes and triggers of a database, as reported by SQLite.
struct SchemaImage: Hashable {
    /// `type`, `name`, `tbl_name` and `sql` of each.
    private let objects: Set<[String?]>

    /// The schema that `steps` create in an empty database.
    init(of steps: [String]) throws {
        let database = try Database(":memory:", .write, patience: 0)
        for step in steps { try database.execute(step) }
        self = try SchemaImage(in: database)
    }

    /// The schema of an open database. Statistics tables created with ANALYZE are ignored.
    init(in database: Database) throws {
        objects = Set(
            try database.all(
                """
                SELECT type, name, tbl_name, sql FROM sqlite_master
                WHERE name NOT LIKE 'sqlite_stat%' LIMIT 1000
                """
            ) { row in try (0..<4).map { try row[$0] as String? } })
    }

    /// A name that only one schema has or that both define differently; nil if they are equal.
    func difference(from other: SchemaImage) -> String? {
        objects.symmetricDifference(other.objects).compactMap { $0[1] }.min()
    }
}
