// SPDX-License-Identifier: Apache-2.0

/// Takes a database forward, one numbered step after the other, all of them in one transaction.
struct Migrator {
    /// `steps[n]` leads from version n to version n + 1.
    let steps: [String]
    var applicationID = Schema.applicationID
    let path: String

    /// Whether anything was done.
    func migrate(_ database: Database) throws -> Bool {
        guard try version(of: database) < steps.count else { return false }
        try database.transaction {
            for step in try steps[version(of: database)...] { try database.execute(step) }
            try database.execute(
                """
                PRAGMA application_id = \(applicationID);
                PRAGMA user_version = \(steps.count);
                """)
        }
        return true
    }

    private func version(of database: Database) throws -> Int {
        let version = try database.value("PRAGMA user_version") ?? 0
        guard version <= steps.count else {
            throw StoreError.newer(path: path, found: version, supported: steps.count)
        }
        return version
    }
}
