// SPDX-License-Identifier: Apache-2.0

/// The random number that distinguishes a store from every other one: the fact `store`. A copy has the number of its
/// original.
enum StoreIdentity {
    private static let numbers: ClosedRange<Int64> = 1...Row.ids.upperBound
    /// The maximum time in seconds to read a file that another program may have written.
    private static let limit: Int64 = 1

    /// nil: the store has no number, or an invalid one.
    static func read(_ database: Database) throws -> Int64? {
        let number: Int64? = try database.value("SELECT value FROM fact WHERE name = 'store'")
        return number.flatMap { numbers.contains($0) ? $0 : nil }
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
    static func inFile(_ path: String) -> Int64? {
        do {
            let database = try Database(path, .readFileAlone, timeout: 0)
            try database.defend(limit: limit)
            return try read(database)
        } catch {
            return nil
        }
    }
}
