// SPDX-License-Identifier: Apache-2.0

/// The kind of a database, and the steps that create its schema.
struct DatabaseFormat {
    let applicationID: UInt32
    /// `steps[n]` leads from version n to version n + 1.
    let steps: [String]
    /// The result of the steps.
    let objects: [SchemaObject]

    var version: Int { steps.count }

    /// The maximum wait for another program's transaction, in seconds.
    var timeout: Double
    /// Whether only one connection writes at a time: that of a store, which copies its log into the file itself.
    var isStore = false

    /// The store of an app.
    static let app = DatabaseFormat(
        applicationID: Schema.applicationID, steps: Schema.steps, objects: Schema.objects,
        timeout: 2, isStore: true)
    /// An app's transfers; hosts, commands and the service write to them, each briefly.
    static func transfers(timeout: Double) -> DatabaseFormat {
        DatabaseFormat(
            applicationID: TransferSchema.applicationID, steps: TransferSchema.steps,
            objects: TransferSchema.objects, timeout: timeout)
    }

    /// The number of frames of a log, one page each, after which it is copied into the file.
    static let longestLog: Int64 = 4_000

    /// The maximum time of a statement in seconds, for commands, pages and the program that writes.
    private static let readingLimit: Int64 = 30
    private static let writingLimit: Int64 = 600

    /// Opens the database at `path`. Unless `readOnly`, creates it if missing and migrates an older one to the current
    /// schema. Refuses a database of another format, or a newer one, before anything is written beside or into it.
    ///
    /// - Parameters:
    ///   - limit: The maximum time of a statement in seconds; nil: the default.
    ///   - app: The app that a store must belong to; nil: any.
    func open(
        _ path: String, readOnly: Bool, limit: Int64? = nil, app: String? = nil
    ) throws -> Database {
        // Looked for first: another process may create both now, the file before its log.
        let hasLog = StoreFile.hasLog(path)
        let found = try StoreFile.schemaVersion(of: path, self)
        if readOnly {
            guard let found else {
                throw hasLog ? StoreError.orphaned(path: path) : .missing(path: path)
            }
            guard found == version else {
                throw StoreError.outdated(path: path, found: found, supported: version)
            }
        } else if found == nil {
            try StoreFile.create(path, self)
        }
        if !readOnly, !isStore { StoreFile.removeLeftovers(of: path) }
        let database = try Database(path, readOnly ? .read : .write, timeout: timeout)
        try database.defend(limit: limit ?? (readOnly ? Self.readingLimit : Self.writingLimit))
        if !readOnly { try checkLog(database, path) }
        // The version is checked before anything is written.
        let isCurrent = found == version
        if isCurrent { try check(database, path) }
        // Every version has facts; the owner is one of them.
        if found ?? 0 > 0, let app { try checkOwner(app, database, path) }
        let isMigrated = try !readOnly && prepare(database, path)
        if !isCurrent { try check(database, path) }
        let isNumbered = try !readOnly && StoreIdentity.make(in: database)
        let isOwned =
            try !readOnly && app.map { try StoreOwner.make($0, in: database, path) } ?? false
        // From here on the file itself, not only its log, has its version and the number of its store.
        if isMigrated || isNumbered || isOwned {
            try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        }
        return database
    }

    /// Opens the store at `path` for reading, without a lock and without a file beside it, as the holder of its app's
    /// `HostLock` may while it writes nothing. Nil if a log or journal shows that another process uses or used it, or
    /// if it must first be migrated or get a number or an owner. Refuses what `open` refuses.
    func openUnchanged(_ path: String, app: String?) throws -> Database? {
        guard StoreFile.isAlone(path) else { return nil }
        let database = try Database(path, .readFileAlone, timeout: timeout)
        guard try StoreFile.schemaVersion(in: database, path, self) == version else { return nil }
        try database.defend(limit: Self.writingLimit)
        try check(database, path)
        if let app, try !StoreOwner.check(app, database, path) { return nil }
        return try StoreIdentity.read(database) == nil ? nil : database
    }

    /// A file moved into the place of a store may be beside the old store's log, which would overwrite it.
    private func checkLog(_ database: Database, _ path: String) throws {
        guard StoreFile.hasLog(path), let own = StoreIdentity.inFile(path) else { return }
        do {
            guard try StoreIdentity.read(database) != own else { return }
        } catch {
            database.keepLog()
            throw error
        }
        database.keepLog()
        throw StoreError.foreignLog(path: path)
    }

    private func checkOwner(_ app: String, _ database: Database, _ path: String) throws {
        do {
            try StoreOwner.check(app, database, path)
        } catch {
            if StoreFile.hasLog(path) { database.keepLog() }
            throw error
        }
    }

    /// Another writer of the file may have changed the meaning of our statements, for example with a view in place of a
    /// table.
    private func check(_ database: Database, _ path: String) throws {
        let found = try SchemaObject.all(in: database)
        guard found != objects else { return }
        // Another version of SQLite may store the text of the same schema differently.
        if let name = SchemaObject.difference(found, try SchemaObject.all(after: steps)) {
            throw StoreError.corrupt(
                path: path, detail: "its schema is not that of bgrun: \(name) differs")
        }
    }

    /// Creates the schema in the empty file at `path`.
    func fill(_ path: String) throws {
        let database = try Database(path, .write, timeout: timeout)
        try database.defend(limit: Self.writingLimit)
        _ = try migrate(database, path)
        _ = try StoreIdentity.make(in: database)
        // Another process that opens it then needs no rollback journal for the change.
        try database.execute("PRAGMA journal_mode = WAL")
    }

    /// Runs the missing steps in one transaction. Returns whether there were any.
    func migrate(_ database: Database, _ path: String) throws -> Bool {
        // Applies to a new file only. A commit writes whole pages to the log, and ours change a row or two of each.
        try database.execute("PRAGMA page_size = 1024")
        func found() throws -> Int {
            let found = try database.value("PRAGMA user_version") ?? 0
            guard found <= version else {
                throw StoreError.newer(path: path, found: found, supported: version)
            }
            return found
        }
        guard try found() < version else { return false }
        try database.transaction {
            for step in try steps[found()...] { try database.execute(step) }
            try database.execute(
                """
                PRAGMA application_id = \(applicationID);
                PRAGMA user_version = \(version);
                """)
        }
        return true
    }

    /// Prepares the schema; returns whether it was changed.
    private func prepare(_ database: Database, _ path: String) throws -> Bool {
        let isMigrated = try migrate(database, path)
        try database.execute(
            """
            PRAGMA journal_mode = WAL;
            PRAGMA synchronous = NORMAL;
            PRAGMA journal_size_limit = 16777216;
            """)
        if isStore {
            database.countLogFrames()
        } else {
            try database.execute("PRAGMA wal_autocheckpoint = \(Self.longestLog)")
        }
        return isMigrated
    }
}
