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
            let words = words(statement)
            let name = text(words[2])
            if words[0].elementsEqual("CREATE".utf8) {
                let on = words.prefix(8).firstIndex { $0.elementsEqual("ON".utf8) }
                objects.append(
                    SchemaObject(
                        type: text(words[1]).lowercased(), name: name,
                        table: on.map { text(words[$0 + 1]) } ?? name, sql: text(statement)))
            } else if words[0].elementsEqual("ALTER".utf8),
                let index = objects.firstIndex(where: { $0.name == name }),
                let end = objects[index].sql?.lastIndex(of: ")")
            {
                let column = text(statement[words[5].startIndex...])
                objects[index].sql?.insert(contentsOf: ", " + column, at: end)
            }
        }
        return objects.sorted { ($0.type ?? "", $0.name ?? "") < ($1.type ?? "", $1.name ?? "") }
    }

    // Arrays of bytes: to search Characters or a UTF8View for blanks takes a tenth of a short run.

    /// The statements of a step, without the comments between them. Each ends at the end of a line.
    private static func statements(_ step: String) -> [ArraySlice<UInt8>] {
        let bytes = Array(step.utf8)
        var statements: [ArraySlice<UInt8>] = []
        var first: ArraySlice<UInt8>?
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            if first == nil, line.starts(with: "--".utf8) { continue }
            let beginning = first ?? line
            first = beginning
            let isTrigger = beginning.starts(with: "CREATE TRIGGER".utf8)
            guard line.last == UInt8(ascii: ";"), !isTrigger || line.elementsEqual("END;".utf8)
            else { continue }
            statements.append(bytes[beginning.startIndex..<line.endIndex].dropLast())
            first = nil
        }
        return statements
    }

    private static func words(_ statement: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        statement.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self)
    }

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
