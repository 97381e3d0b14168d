// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// The data of an app: pending requests, attempts, checkpoints, output and events, in one SQLite file.
///
/// Not `Sendable`: a store belongs to the thread that opened it, and its calls block until the operating system has
/// accepted or returned the data. A process that opens it for writing must hold the app's `HostLock`; any number of
/// other processes may have it open for reading at the same time.
package final class Store {
    /// The path at which it was opened.
    package let path: String
    /// False if the store was opened read-only: `apply` and `prune` then throw.
    let isWritable: Bool
    private var database: Database
    private let app: String?
    /// The number of the store; nil: it has none, or was opened read-only.
    private let identity: Int64?
    /// Whether only the immutable file is open: no change was made yet.
    private(set) var isUnchanged: Bool
    var file: FileWitness
    /// The durability of the last commit.
    private(set) var durability = Durability.normal
    /// Damaged rows found while reading.
    package internal(set) var damaged: Set<DamagedRow> = []
    /// Called once for each of them, when it is found.
    package var foundDamage: ((DamagedRow) -> Void)?
    /// The last attempt that `prune` has examined; a new pass begins after 0.
    var pruneCursor: Int64 = 0

    /// Opens the store at `path`. Unless `readOnly`, creates it if missing and migrates an older one to the current
    /// schema.
    ///
    /// Refuses a database of a newer bgrun or of another application before anything is written beside or into it.
    ///
    /// - Parameter app: The app that the store must belong to; nil: any. A store without an owner belongs to
    ///   it from now on, unless `readOnly`.
    /// - Parameter whenChanged: Opens a store that no other process uses for reading, and for writing only at the first
    ///   change: creating the log takes longer than reading the store.
    package static func open(
        _ path: String, readOnly: Bool = false, app: String? = nil, whenChanged: Bool = false
    ) throws(StoreError) -> Store {
        try attempt(path) {
            if whenChanged, !readOnly,
                let database = try DatabaseFormat.app.openUnchanged(path, app: app),
                try !hasDamagedCount(database)
            {
                return try Store(path, readOnly: false, app, isUnchanged: true, database)
            }
            let database =
                try readOnly
                ? DatabaseFormat.app.open(path, readOnly: true, app: app) : toWrite(path, app)
            return try Store(path, readOnly: readOnly, app, isUnchanged: false, database)
        }
    }

    /// - Parameter timeout: How long to block while another program writes; nil: the default.
    private static func toWrite(
        _ path: String, _ app: String?, timeout: Interval? = nil
    ) throws -> Database {
        var format = DatabaseFormat.app
        if let timeout { format.timeout = Double(timeout.nanoseconds) / 1_000_000_000 }
        let database = try format.open(path, readOnly: false, app: app)
        if try hasDamagedCount(database) { try recountPending(database) }
        database.setTimeout(milliseconds: usualTimeout.nanoseconds / 1_000_000)
        return database
    }

    /// The facts that count pending requests; ";" is the character after ":".
    private static let counts = "name > 'pending:' AND name < 'pending;'"

    /// Whether a stored count is out of range: triggers could not update it any more.
    private static func hasDamagedCount(_ database: Database) throws -> Bool {
        let damaged: Int? = try database.value(
            "SELECT 1 FROM fact WHERE \(counts) AND value NOT BETWEEN 0 AND ? LIMIT 1",
            [.int(Row.ids.upperBound)])
        return damaged != nil
    }

    private static func recountPending(_ database: Database) throws {
        try database.transaction {
            try database.execute(
                """
                DELETE FROM fact WHERE \(counts);
                INSERT INTO fact SELECT 'pending:' || kind, count(*) FROM request GROUP BY kind;
                """)
        }
    }

    private init(
        _ path: String, readOnly: Bool, _ app: String?, isUnchanged: Bool, _ database: Database
    ) throws {
        self.path = path
        self.app = app
        self.isUnchanged = isUnchanged
        isWritable = !readOnly
        self.database = database
        let identity = try readOnly ? nil : StoreIdentity.read(database)
        self.identity = identity
        file = try FileWitness(path, .app, identity: identity, database)
    }

    /// The first change opens the store for writing.
    private func openForChange(_ timeout: Interval?) throws(StoreError) {
        guard isUnchanged else { return }
        try checkFiles()
        (database, file) = try Store.attempt(path) {
            let database = try Store.toWrite(path, app, timeout: timeout)
            guard try StoreIdentity.read(database) == identity else {
                throw StoreError.replaced(path: path)
            }
            return (database, try FileWitness(path, .app, identity: identity, database))
        }
        isUnchanged = false
    }

    /// A connection copies its log into the file when it closes: only into the file that was opened.
    deinit {
        if isWritable { try? checkFiles() }
    }

    private static let usualTimeout = Interval.milliseconds(
        Int64(DatabaseFormat.app.timeout * 1_000))

    private func wait(_ timeout: Interval) {
        database.setTimeout(milliseconds: timeout.nanoseconds / 1_000_000)
    }

    /// Makes all of `changes`, in order, in one transaction, or none.
    ///
    /// - Parameter timeout: How long to block while another program writes; nil: the default.
    ///
    /// After `unavailable` or `full` the store is unchanged; the host may retry. Without changes nothing is written,
    /// regardless of the durability. `full` first checks the files, even without changes, and so does the first change
    /// of each second: throws `replaced`.
    package func apply(
        _ changes: [StoreChange], durability: Durability, timeout: Interval? = nil
    ) throws(StoreError) {
        if durability == .full || file.isDue && !changes.isEmpty { try checkFiles() }
        guard !changes.isEmpty else { return }
        try accessToWrite(timeout: timeout) { database in
            try commit(with: durability)
            let commits = try database.transaction {
                for change in changes { try database.apply(change) }
                return durability == .full ? try StoreIdentity.countCommit(in: database) : nil
            }
            if let commits { file.noteCommits(commits) }
        }
    }

    /// Runs `body` on the connection; every error becomes a `StoreError`.
    func access<Value>(_ body: (Database) throws -> Value) throws(StoreError) -> Value {
        try Store.attempt(path) {
            try body(database)
        }
    }

    /// Runs `body`, whose reads see the store at one instant, regardless of concurrent writes. The log cannot be
    /// shortened until it ends: it must not wait for anything.
    package func snapshot<Value>(_ body: () throws -> Value) throws(StoreError) -> Value {
        try access { try $0.transaction("BEGIN", body) }
    }

    /// Throws `replaced` if the files are not the opened ones.
    package func checkFiles() throws(StoreError) { try file.check(database) }

    /// The same for a `body` that writes. A commit after which the log is long copies it into the file.
    /// - Parameter timeout: How long to block while another program writes; nil: the default.
    func accessToWrite<Value>(
        timeout: Interval? = nil, _ body: (Database) throws -> Value
    ) throws(StoreError) -> Value {
        try openForChange(timeout)
        let value = try access { database in
            if let timeout { wait(timeout) }
            defer { if timeout != nil { wait(Self.usualTimeout) } }
            return try body(database)
        }
        guard let frames = database.takeLogFrames() else { return value }
        file.noteCommit(frames: frames)
        guard frames >= DatabaseFormat.longestLog else { return value }
        try checkFiles()
        database.checkpoint()
        file.noteCheckpoint()
        return value
    }

    static func attempt<Value>(
        _ path: String, _ body: () throws -> Value
    ) throws(StoreError) -> Value {
        do { return try body() } catch { throw StoreError(error, path: path) }
    }

    /// SQLite applies this pragma when it is compiled, so a cached statement would have no effect.
    private func commit(with wanted: Durability) throws {
        guard wanted != durability else { return }
        try database.execute("PRAGMA synchronous = \(wanted == .full ? "FULL" : "NORMAL")")
        durability = wanted
    }
}
