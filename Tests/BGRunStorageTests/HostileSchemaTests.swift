// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import CSQLite
import Foundation
import Testing

@testable import BGRunStorage

@Suite("A database that a user has changed", .timeLimit(.minutes(5)))
struct HostileSchemaTests {
    let scratch: Scratch

    init() throws {
        scratch = try Scratch()
        _ = try scratch.open()
    }

    @Test(
        "a schema that is not ours is refused before anything is read",
        arguments: [
            """
            DROP TABLE history; CREATE VIEW history AS WITH RECURSIVE c(x) AS
            (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x AS attempt FROM c
            """,
            "CREATE TRIGGER t AFTER INSERT ON history BEGIN SELECT 1; END",
            "CREATE TABLE extra (x)", "CREATE INDEX extra ON history (identifier)",
            "DROP TABLE running",
        ], [true, false])
    func refused(_ sql: String, readOnly: Bool) throws {
        try scratch.execute(sql)
        let error = #expect(throws: StoreError.self) {
            try Store.open(scratch.database, readOnly: readOnly)
        }
        guard case .corrupt(_, let detail) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(detail.hasPrefix("its schema is not that of bgrun: "))
    }

    @Test("statistics of a user do no harm")
    func analyzed() throws {
        try scratch.execute("ANALYZE")
        #expect(throws: Never.self) { try Store.open(scratch.database, readOnly: true) }
    }

    @Test("a connection trusts no schema and is defensive", arguments: [true, false])
    func defended(readOnly: Bool) throws {
        let store = try Store.open(scratch.database, readOnly: readOnly)
        let isDefended = try store.access { bgrun_sqlite_is_defended($0.connection) }
        #expect(isDefended == 1)
    }

    @Test("a statement that does not end is aborted, and the next one has its own time limit")
    func endless() throws {
        let database = try DatabaseFormat.app.open(scratch.database, readOnly: true, limit: 0)
        let endless =
            "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) FROM c"
        for _ in 1...2 {
            let error = #expect(throws: SQLiteError.self) { try database.run(endless) }
            #expect(error?.code == SQLITE_INTERRUPT)
        }
        #expect(try database.value("SELECT 7") == 7)
    }

    @Test(
        "statements of a command end within 30 s, those of a host within 600 s",
        arguments: [(true, 30), (false, 600)])
    func defaultLimit(readOnly: Bool, seconds: Int64) throws {
        let store = try Store.open(scratch.database, readOnly: readOnly)
        #expect(try store.access { $0.limit } == seconds * 1_000_000_000)
    }

    @Test("the time limit of a statement is reported with a message")
    func message() {
        let error = StoreError(SQLiteError(SQLITE_INTERRUPT), path: "/p")
        #expect(error == .unavailable(path: "/p", detail: "reading it took too long"))
    }
}
