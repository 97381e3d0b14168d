// SPDX-License-Identifier: Apache-2.0

import BGRunFoundation
import Foundation
import SQLite3
import Testing

@Suite(.timeLimit(.minutes(1))) struct StorageTests {
    @Test("SQLite's C functions are called by the name of Apple's module")
    func sqlite() throws {
        var database: OpaquePointer?
        #expect(sqlite3_open(":memory:", &database) == SQLITE_OK)
        defer { sqlite3_close(database) }
        let script = "CREATE TABLE note (text); INSERT INTO note VALUES ('a'), ('b')"
        #expect(sqlite3_exec(database, script, nil, nil, nil) == SQLITE_OK)
        var statement: OpaquePointer?
        let query = "SELECT text FROM note ORDER BY text DESC"
        #expect(sqlite3_prepare_v2(database, query, -1, &statement, nil) == SQLITE_OK)
        defer { sqlite3_finalize(statement) }
        #expect(sqlite3_step(statement) == SQLITE_ROW)
        let text = try #require(sqlite3_column_text(statement, 0))
        #expect(String(cString: text) == "b")
    }

    @Test("Data is written with the former name of the option, too")
    func atomicWrite() throws {
        let former: any FormerNames = Names()
        #expect(former.option == .atomic)
    }
}

private protocol FormerNames {
    var option: Data.WritingOptions { get }
}

private struct Names: FormerNames {
    @available(*, deprecated)
    var option: Data.WritingOptions { .atomicWrite }
}
