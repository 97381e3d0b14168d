// SPDX-License-Identifier: Apache-2.0

/// The random number that distinguishes a store, or the transfers of an app, from every other database: the fact
/// `store`. A copy has the number of its original; an earlier one has fewer synced commits: the fact `commits`.
enum StoreIdentity {
    private static let numbers: ClosedRange<Int64> = 1...Row.ids.upperBound
    /// The maximum time in seconds to read a file that another program may have written.
    private static let limit: Int64 = 1

    /// nil: the store has no number, or an invalid one.
    static func read(_ database: Database) throws -> Int64? {
        try number("store", database)
    }

    /// Gives the store a number unless it has one; returns whether it did.
    static func make(in database: Database) throws -> Bool {
        guard try read(database) == nil else { return false }
        try database.run(
            """
            INSERT INTO fact VALUES ('store', ?1)
            ON CONFLICT DO UPDATE SET value = excluded.value WHERE value NOT BETWEEN 1 AND ?2
            """, [.int(Int64.random(in: numbers)), .int(numbers.upperBound)])
        return true
    }

    /// The number in the file at `path`, ignoring its log; nil: the file cannot be read, or has no number yet.
    static func inFile(_ path: String) -> Int64? { inFile(path, read) }

    /// The number of synced commits; 0: an older bgrun has made all of them, or it is invalid.
    static func commits(_ database: Database) throws -> Int64 {
        try number("commits", database) ?? 0
    }

    /// The same in the file at `path`, ignoring its log; nil: the file cannot be read.
    static func commitsInFile(_ path: String) -> Int64? { inFile(path, commits) }

    /// Counts the open transaction, and returns the new number; an invalid one begins again.
    static func countCommit(in database: Database) throws -> Int64 {
        let count: Int64? = try database.value(
            """
            INSERT INTO fact VALUES ('commits', 1) ON CONFLICT DO UPDATE
            SET value = CASE WHEN value BETWEEN 1 AND ? THEN value + 1 ELSE 1 END RETURNING value
            """, [.int(numbers.upperBound - 1)])
        guard let count else { preconditionFailure("a commit was not counted") }
        return count
    }

    private static func number(_ fact: String, _ database: Database) throws -> Int64? {
        let number: Int64? = try database.value(
            "SELECT value FROM fact WHERE name = ?", [.text(fact)])
        return number.flatMap { numbers.contains($0) ? $0 : nil }
    }

    private static func inFile(_ path: String, _ read: (Database) throws -> Int64?) -> Int64? {
        do {
            let database = try Database(path, .readFileAlone, timeout: 0)
            try database.defend(limit: limit)
            return try read(database)
        } catch {
            return nil
        }
    }
}
