// SPDX-License-Identifier: Apache-2.0

import GRDB

/// What a database of ours is: which one, and the steps that lead to its schema.
struct DatabaseFormat {
    let applicationID: UInt32
    /// `steps[n]` leads from version n to version n + 1.
    let steps: [String]

    var version: Int { steps.count }

    /// Seconds another program's transaction is waited for.
    let patience: Double

    /// What an app remembers; it has one writer.
    static let app = DatabaseFormat(
        applicationID: Schema.applicationID, steps: Schema.steps, patience: 2)
    /// An app's transfers; hosts, commands and the service write to them, each for a moment.
    static let transfers = DatabaseFormat(
        applicationID: TransferSchema.applicationID, steps: TransferSchema.steps, patience: 5)

    /// Opens the database at `path`. Unless `readOnly`, it is created when missing and brought up to
    /// the current schema when older. A database that is not of this format, or newer, is refused before
    /// anything is written beside or into it.
    func open(_ path: String, readOnly: Bool) throws -> DatabaseQueue {
        let found = try StoreFile.schemaVersion(of: path, self)
        if readOnly {
            try StoreFile.checkReadable(path, version: found, self)
        } else if found == nil {
            try StoreFile.create(path)
        }
        var configuration = Configuration()
        configuration.readonly = readOnly
        configuration.foreignKeysEnabled = false
        configuration.busyMode = .timeout(patience)
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        if !readOnly { try queue.writeWithoutTransaction { try prepare($0, path) } }
        return queue
    }

    private func prepare(_ database: Database, _ path: String) throws {
        // Counts for a new file only. A commit writes whole pages to the log, and ours change a row or
        // two of each.
        try database.execute(sql: "PRAGMA page_size = 1024")
        let migrator = Migrator(steps: steps, applicationID: applicationID, path: path)
        let isMigrated = try migrator.migrate(database)
        try database.execute(
            sql: """
                PRAGMA journal_mode = WAL;
                PRAGMA synchronous = NORMAL;
                PRAGMA wal_autocheckpoint = 4000;
                PRAGMA journal_size_limit = 16777216;
                """)
        // From here on the file itself, not only its log, says which version it has.
        if isMigrated { try database.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
    }
}
