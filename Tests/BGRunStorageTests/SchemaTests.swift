// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BGRunStorage

@Suite("The expected schema", .timeLimit(.minutes(5)))
struct SchemaTests {
    let scratch: Scratch

    init() throws {
        scratch = try Scratch()
        _ = try scratch.open()
    }

    private func format(_ steps: [String], _ objects: [SchemaObject]) -> DatabaseFormat {
        DatabaseFormat(
            applicationID: Schema.applicationID, steps: steps, objects: objects, timeout: 0)
    }

    @Test(
        "equals the result of the steps",
        arguments: [(Schema.steps, Schema.objects), (TransferSchema.steps, TransferSchema.objects)])
    func current(_ steps: [String], _ objects: [SchemaObject]) throws {
        let made = try SchemaObject.all(after: steps)
        #expect(made == objects, "\(SchemaObject.difference(made, objects) ?? "") differs")
    }

    @Test("is not created again when a database with it is opened", arguments: [true, false])
    func open(readOnly: Bool) throws {
        let steps = Array(repeating: "an error", count: Schema.version)
        #expect(throws: Never.self) {
            try format(steps, Schema.objects).open(scratch.database, readOnly: readOnly)
        }
        #expect(throws: SQLiteError.self) {
            try format(steps, []).open(scratch.database, readOnly: readOnly)
        }
    }

    @Test("may have other text from another SQLite if the steps give the same text")
    func otherWords() throws {
        #expect(throws: Never.self) {
            try format(Schema.steps, []).open(scratch.database, readOnly: true)
        }
    }

    @Test(
        "names the differences",
        arguments: [
            ("CREATE TABLE extra (x)", "extra"), ("DROP TABLE firing", "firing"),
            ("ALTER TABLE push ADD COLUMN more TEXT", "push"),
            ("DROP INDEX history_ended", "history_ended"),
        ])
    func named(_ sql: String, _ name: String) throws {
        try scratch.execute(sql)
        let detail = "its schema is not that of bgrun: \(name) differs"
        #expect(throws: StoreError.corrupt(path: scratch.database, detail: detail)) {
            try Store.open(scratch.database, readOnly: true)
        }
    }
}
