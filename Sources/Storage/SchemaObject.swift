// SPDX-License-Identifier: Apache-2.0

/// A table, an index or a trigger, as reported by SQLite.
struct SchemaObject: Hashable {
    let type: String?
    let name: String?
    let table: String?
    /// nil: an index that SQLite creates by itself.
    private(set) var sql: String?

    /// The objects of an open database, sorted by type and name. Statistics tables created with ANALYZE are ignored.
    static func all(in database: Database) throws -> [SchemaObject] {
        try database.all(
            """
            SELECT type, name, tbl_name, sql FROM sqlite_master
            WHERE name NOT LIKE 'sqlite_stat%' ORDER BY type, name LIMIT 1000
            """
        ) { try SchemaObject(type: $0[0], name: $0[1], table: $0[2], sql: $0[3]) }
    }

    /// The objects that `steps` create, parsed from their text: running the steps would add 2 ms to each open. A test
    /// compares both.
    ///
    /// - Parameter automatic: The object that SQLite adds by itself.
    static func declared(in steps: [String], _ automatic: SchemaObject) -> [SchemaObject] {
        var objects = [automatic]
        for statement in steps.flatMap(statements) {
            // Bytes: searching Characters for blanks takes a fifth of a short run.
            let words = statement.utf8.split(maxSplits: 7) { $0 == space || $0 == newline }
                .map { String(Substring($0)) }
            let name = words[2]
            if words[0] == "CREATE" {
                let table = words.firstIndex(of: "ON").map { words[$0 + 1] } ?? name
                objects.append(
                    SchemaObject(
                        type: words[1].lowercased(), name: name, table: table, sql: statement))
            } else if words[0] == "ALTER",
                let index = objects.firstIndex(where: { $0.name == name }),
                let end = objects[index].sql?.lastIndex(of: ")")
            {
                let column = ", " + words[5...].joined(separator: " ")
                objects[index].sql?.insert(contentsOf: column, at: end)
            }
        }
        return objects.sorted { ($0.type ?? "", $0.name ?? "") < ($1.type ?? "", $1.name ?? "") }
    }

    /// The statements of a step, without the comments between them. Each ends at the end of a line.
    private static func statements(_ step: String) -> [String] {
        var statements: [String] = []
        var first: Substring.UTF8View?
        for line in step.utf8.split(separator: newline) {
            if first == nil, line.starts(with: "--".utf8) { continue }
            let beginning = first ?? line
            first = beginning
            let isTrigger = beginning.starts(with: "CREATE TRIGGER".utf8)
            guard line.last == UInt8(ascii: ";"), !isTrigger || line.elementsEqual("END;".utf8)
            else { continue }
            statements.append(String(step[beginning.startIndex..<line.endIndex].dropLast()))
            first = nil
        }
        return statements
    }

    private static let newline = UInt8(ascii: "\n")
    private static let space = UInt8(ascii: " ")

    /// The objects that `steps` create in an empty database.
    static func all(after steps: [String]) throws -> [SchemaObject] {
        let database = try Database(":memory:", .write, timeout: 0)
        for step in steps { try database.execute(step) }
        return try all(in: database)
    }

    /// A name that only one schema contains or that both define differently; nil if they are equal.
    static func difference(_ schema: [SchemaObject], _ other: [SchemaObject]) -> String? {
        Set(schema).symmetricDifference(other).compactMap(\.name).min()
    }
}
