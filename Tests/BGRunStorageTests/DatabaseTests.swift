// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Testing

@testable import BGRunStorage

@Suite("A connection to SQLite", .timeLimit(.minutes(5)))
struct DatabaseTests {
    let scratch: Scratch
    let database: Database

    init() throws {
        scratch = try Scratch()
        database = try scratch.connect()
        try database.execute("CREATE TABLE t (a, b)")
    }

    /// The number of compiled statements that the connection keeps.
    private var statements: Int {
        var count = 0
        var statement = sqlite3_next_stmt(database.connection, nil)
        while statement != nil {
            count += 1
            statement = sqlite3_next_stmt(database.connection, statement)
        }
        return count
    }

    /// Whether a statement has more rows to read.
    private var isReading: Bool {
        var statement = sqlite3_next_stmt(database.connection, nil)
        while statement != nil {
            if sqlite3_stmt_busy(statement) != 0 { return true }
            statement = sqlite3_next_stmt(database.connection, statement)
        }
        return false
    }

    @Test(
        "a reader that throws leaves no statement open")
    func thrown() throws {
        try database.execute("INSERT INTO t VALUES (1, 1), (2, 2)")
        #expect(throws: CancellationError.self) {
            try database.forEach("SELECT a FROM t") { _ in
                #expect(isReading)
                throw CancellationError()
            }
        }
        #expect(!isReading)
        #expect(throws: CancellationError.self) {
            try database.first("SELECT b FROM t") { _ in throw CancellationError() }
        }
        #expect(!isReading)
    }

    @Test("a transaction locks the database before it reads")
    func immediate() throws {
        let other = try Database(scratch.database, .write, timeout: 0)
        try database.transaction {
            let error = #expect(throws: SQLiteError.self) {
                try other.run("INSERT INTO t VALUES (1, 1)")
            }
            #expect(error?.code == SQLITE_BUSY)
        }
        try other.run("INSERT INTO t VALUES (1, 1)")
    }

    @Test("integers are read unchanged", arguments: [0, 1, -1, .max, .min] as [Int64])
    func integers(_ number: Int64) throws {
        try database.run("INSERT INTO t VALUES (?, ?)", [.integer(number), .null])
        #expect(try database.value("SELECT a FROM t") == number)
        #expect(try database.all("SELECT b FROM t") { try $0[0] as Int64? } == [nil])
    }

    @Test("text is read unchanged", arguments: ["", "a", "\u{1F4F7} é", "a\nb"])
    func text(_ text: String) throws {
        try database.run("INSERT INTO t VALUES (?, ?)", [.text(text), .text(nil)])
        #expect(try database.value("SELECT a FROM t") == text)
        #expect(try database.all("SELECT b FROM t") { try $0[0] as String? } == [nil])
    }

    @Test("text of another program is read to its end, and repaired if it is not UTF-8")
    func foreignText() throws {
        #expect(try database.value("SELECT CAST(x'610062' AS TEXT)") == "a\0b")
        #expect(try database.value("SELECT CAST(x'61FF62' AS TEXT)") == "a\u{FFFD}b")
    }

    @Test("bytes are read unchanged", arguments: [[], [0], Array(0...255)] as [[UInt8]])
    func bytes(_ bytes: [UInt8]) throws {
        try database.run("INSERT INTO t VALUES (?, 1)", [.bytes(bytes)])
        #expect(try database.value("SELECT a FROM t") == bytes)
    }

    @Test("a value of another type, or out of the type's range, is an error that names the column")
    func types() throws {
        try database.run("INSERT INTO t VALUES (?, ?)", [.text("7"), .integer(1 << 40)])
        func error<Value: ColumnValue>(_ type: Value.Type, _ column: Int) throws -> String? {
            try database.first("SELECT a, b, x'00', 1.5, NULL FROM t") { row in
                do {
                    _ = try row[column] as Value
                    return nil
                } catch { return "\(error)" }
            } ?? "no row"
        }
        #expect(try error(Int64.self, 0) == #"a is "7""#)
        #expect(try error(Bool.self, 0) == #"a is "7""#)
        #expect(try error([UInt8].self, 0) == #"a is "7""#)
        #expect(try error(Int32.self, 1) == "b is 1099511627776")
        #expect(try error(String.self, 1) == "b is 1099511627776")
        #expect(try error(String?.self, 2) == "value is 1 bytes")
        #expect(try error(Int?.self, 3) == "value is 1.5")
        #expect(try error(Int.self, 4) == "NULL is NULL")
        #expect(try error(Int?.self, 4) == nil)
    }

    @Test("a statement may run recursively")
    func nested() throws {
        try database.run("INSERT INTO t VALUES (1, 0), (2, 0), (3, 0)")
        var pairs: [Int] = []
        try database.forEach("SELECT a FROM t") { outer in
            let left: Int = try outer[0]
            try database.forEach("SELECT a FROM t") { pairs.append(left * 10 + (try $0[0])) }
        }
        #expect(pairs == [11, 12, 13, 21, 22, 23, 31, 32, 33])
    }

    @Test("the statements used last stay compiled, up to a limit")
    func cache() throws {
        for number in 0..<3 * Database.keptStatements {
            #expect(try database.value("SELECT 7") == 7)
            #expect(try database.value("SELECT \(number)") == number)
            if number == 0 { #expect(statements == 2) }
        }
        #expect(statements == Database.keptStatements)
        var texts: Set<String> = []
        var statement = sqlite3_next_stmt(database.connection, nil)
        while statement != nil {
            texts.insert(String(cString: sqlite3_sql(statement)))
            statement = sqlite3_next_stmt(database.connection, statement)
        }
        #expect(texts.contains("SELECT 7") && !texts.contains("SELECT 0"))
    }

    @Test("a statement that fails in its loop can be used again")
    func afterError() throws {
        struct Stop: Error {}
        try database.run("INSERT INTO t VALUES (1, 0), (2, 0)")
        #expect(throws: Stop.self) {
            try database.forEach("SELECT a FROM t WHERE a < ?", [.integer(9)]) { _ in throw Stop() }
        }
        #expect(
            try database.all("SELECT a FROM t WHERE a < ?", [.integer(2)]) { try $0[0] as Int } == [
                1
            ])
        #expect(statements == 2)
    }

    @Test("an error has SQLite's code and message, and the statement")
    func errors() throws {
        try database.execute("CREATE UNIQUE INDEX i ON t (a)")
        let insert = "INSERT INTO t VALUES (1, 1)"
        try database.run(insert)
        let error = try #require(throws: SQLiteError.self) { try database.run(insert) }
        #expect(error.code == SQLITE_CONSTRAINT && error.sql == insert)
        #expect(error.extendedCode == SQLITE_CONSTRAINT | (8 << 8))
        #expect(error.message == "UNIQUE constraint failed: t.a")
        let unknown = try #require(throws: SQLiteError.self) { try database.run("SELECT * FROM u") }
        #expect(unknown.code == SQLITE_ERROR && unknown.message == "no such table: u")
        let missing = try #require(throws: SQLiteError.self) {
            try Database(scratch.path + "/none/x", .write, timeout: 0)
        }
        #expect(missing.code == SQLITE_CANTOPEN)
    }

    @Test("a script runs up to the first statement that fails")
    func script() throws {
        try database.execute(
            "INSERT INTO t VALUES (1, ';'); -- a note; and more\n\nSELECT * FROM t;\n ; ")
        #expect(throws: SQLiteError.self) {
            try database.execute(
                "INSERT INTO t VALUES (2, 0); INSERT INTO u VALUES (1); INSERT INTO t VALUES (3, 0)"
            )
        }
        #expect(try database.all("SELECT a FROM t") { try $0[0] as Int } == [1, 2])
        #expect(statements == 1)
    }

    @Test("a transaction that throws changes nothing, and one that does not is stored")
    func transaction() throws {
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try database.transaction {
                try database.run("INSERT INTO t VALUES (1, 1)")
                #expect(database.isInsideTransaction)
                throw Stop()
            }
        }
        #expect(!database.isInsideTransaction)
        #expect(try database.value("SELECT count(*) FROM t") == 0)
        _ = try database.transaction { try database.run("INSERT INTO t VALUES (1, 1)") }
        #expect(try scratch.connect().value("SELECT count(*) FROM t") == 1)
    }

    @Test("a connection that reads the file alone ignores the log, and a reader cannot write")
    func access() throws {
        try database.execute("PRAGMA journal_mode = WAL; INSERT INTO t VALUES (1, 1)")
        let alone = try Database(scratch.database, .readFileAlone, timeout: 0)
        #expect(try alone.value("SELECT count(*) FROM t") == 0)
        let reader = try Database(scratch.database, .read, timeout: 0)
        #expect(try reader.value("SELECT count(*) FROM t") == 1)
        let error = #expect(throws: SQLiteError.self) { try reader.run("DELETE FROM t") }
        #expect(error?.code == SQLITE_READONLY)
    }

    @Test("a statement with too few or too many values does not run", arguments: [0, 1, 3])
    func wrongCount(_ count: Int) throws {
        let values = [SQLValue](repeating: .integer(1), count: count)
        let sql = "INSERT INTO t VALUES (?, ?)"
        let error = #expect(throws: SQLiteError.self) { try database.run(sql, values) }
        #expect(error?.code == SQLITE_RANGE)
        #expect(try database.value("SELECT count(*) FROM t") == 0)
        try database.run(sql, [.integer(1), .integer(1)])
    }
}
