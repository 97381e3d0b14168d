// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@testable import BGRunStorage

@Suite("Migration", .timeLimit(.minutes(10)))
struct MigrationTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// The fixtures of all released versions.
    static let fixtures = (1...9).map { Fixture(version: $0) }

    @Test("there is a fixture for every version")
    func complete() {
        #expect(Self.fixtures.count == Schema.version)
    }

    @Test("a database of each version opens with all its data", arguments: fixtures)
    func fixture(_ fixture: Fixture) throws {
        try scratch.execute(fixture.sql)
        let store = try scratch.open()
        let full = StoreChangeTests.full
        let (restored, interrupted) = try store.restoration()
        #expect(restored.requests == [full])
        #expect(restored.nextRequestID == 12)
        #expect(restored.nextAttemptID == 6)
        #expect(restored.lastLaunches == ["daily": WallTime(milliseconds: 5)])
        #expect(interrupted == [InterruptedAttempt(id: 5, request: .sample(11, "daily"))])
        #expect(try store.pendingCount() == 1)
        let old = try store.history(identifier: "daily", limit: 9)
        #expect(old.map(\.outcome) == [.expired(.time, reported: true)])
        let tags = fixture.version < 9 ? [] : ["nightly", "sync"]
        #expect(old.map(\.annotations.tags.names) == [tags])
        #expect(try store.output(attempt: 4).map(\.text) == ["it's"])
        #expect(try store.checkpoint("daily") == Checkpoint(version: 3, data: [0, 1, 255]))
        #expect(try store.events(limit: 9).map(\.line.kind) == ["note"])
    }

    @Test("a database of each version gets the schema of a new one", arguments: fixtures)
    func schema(_ fixture: Fixture) throws {
        try scratch.execute(fixture.sql)
        let fresh = try Scratch()
        #expect(try describe(scratch.open()) == describe(fresh.open()))
    }

    /// Names and statements, without differences in white space.
    private func describe(_ store: Store) throws -> [String] {
        try store.access { database in
            try database.all("SELECT name, coalesce(sql, '') FROM sqlite_schema ORDER BY name") {
                let sql: String = try $0[1]
                return try "\($0[0] as String): "
                    + sql.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            }
        }
    }

    private let steps = [
        "CREATE TABLE a (x)", "ALTER TABLE a ADD COLUMN y; INSERT INTO a VALUES (1, 2)",
        "CREATE TABLE b (x)",
    ]

    private func migrate(_ steps: [String]) throws -> Bool {
        let format = DatabaseFormat(
            applicationID: Schema.applicationID, steps: steps, objects: [], timeout: 0)
        return try format.migrate(scratch.connect(), scratch.database)
    }

    private func version() throws -> Int? {
        try scratch.connect().value("PRAGMA user_version")
    }

    @Test("the missing steps from any version run once each", arguments: 0...3)
    func forward(start: Int) throws {
        #expect(try migrate(Array(steps.prefix(start))) == (start > 0))
        #expect(try migrate(steps) == (start < 3))
        #expect(try migrate(steps) == false)
        #expect(try version() == 3)
        let rows: Int? = try scratch.connect().value("SELECT count(*) FROM a")
        #expect(rows == 1)
    }

    @Test("a step that fails leaves the version before it, and its data")
    func failure() throws {
        _ = try migrate(Array(steps.prefix(1)))
        #expect(throws: (any Error).self) {
            try migrate([steps[0], steps[1], "CREATE TABLE a (x)"])
        }
        #expect(try version() == 1)
        #expect(try migrate(steps))
    }

    @Test("a newer database is not migrated back")
    func backward() throws {
        _ = try migrate(steps)
        #expect(
            throws: StoreError.newer(path: scratch.database, found: 3, supported: 1)
        ) {
            try migrate([steps[0]])
        }
        #expect(try version() == 3)
    }

    @Test("a reader of an older database gets the advice to start the host")
    func outdated() throws {
        try scratch.execute("PRAGMA application_id = \(Schema.applicationID); CREATE TABLE old (x)")
        #expect(
            throws: StoreError.outdated(path: scratch.database, found: 0, supported: Schema.version)
        ) {
            try Store.open(scratch.database, readOnly: true)
        }
    }
}
