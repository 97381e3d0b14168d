// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// An app's transfers, in one SQLite file that its host, its transfer service and commands have open at the same time.
///
/// Not `Sendable`: it belongs to the thread that opened it. Every call is a separate transaction and blocks, briefly
/// while others write. Stored data survives the process at once, and a power failure where the documentation of a call
/// says so. Unless it was opened read-only, every call throws `replaced` if other files are in the place of the opened
/// ones.
package final class TransferStore {
    package let path: String
    private let database: Database
    /// Nil: opened read-only, when others may remove the log.
    private var file: FileWitness?

    /// Opens the database at `path`. Unless `readOnly`, creates it if missing and migrates an older one. Refuses other
    /// files and newer databases without changing them.
    /// - Parameter timeout: The maximum wait of each call for other writers in seconds, before it throws `busy`.
    package static func open(
        _ path: String, readOnly: Bool = false, timeout: Double = 5
    ) throws(StoreError) -> TransferStore {
        try Store.attempt(path) {
            let format = DatabaseFormat.transfers(timeout: timeout)
            let database = try format.open(path, readOnly: readOnly)
            let file =
                try readOnly
                ? nil
                : FileWitness(path, format, identity: StoreIdentity.read(database), database)
            return TransferStore(path, database, file)
        }
    }

    private init(_ path: String, _ database: Database, _ file: FileWitness?) {
        self.path = path
        self.database = database
        self.file = file
    }

    /// A connection removes the log when it closes: only that of the opened file.
    deinit { try? checkFiles() }

    /// Throws `replaced` if the files are not the opened ones.
    package func checkFiles() throws(StoreError) { try file?.check(database) }

    // MARK: hosts and commands

    /// Stores a transfer and returns its id once it is on the disk.
    package func add(
        _ request: TransferRequest, name: String? = nil, wanted: Transfer.Wanted = .run,
        at now: WallTime
    ) throws(StoreError) -> Int64 {
        try write(.full) { database in
            let added = try database.run(
                """
                INSERT INTO transfer (session, name, request, submitted, wanted)
                VALUES (?, ?, ?, ?, ?)
                """,
                [
                    .text(request.session), .text(name), .text(try request.stored()),
                    .int(now.milliseconds), .text(wanted.rawValue),
                ])
            precondition(added == 1, "\(added) transfers were added")
            return database.lastInsertedRowID
        }
    }

    /// Sets the wanted state of a transfer; on the disk on return. False: it has finished, was cancelled before, or
    /// does not exist.
    @discardableResult
    package func want(_ wanted: Transfer.Wanted, of id: Int64) throws(StoreError) -> Bool {
        try !want(wanted, of: [id]).isEmpty
    }

    /// The same for several transfers, all or none, with one sync; returns the changed ones.
    @discardableResult
    package func want(_ wanted: Transfer.Wanted, of ids: [Int64]) throws(StoreError) -> [Int64] {
        guard !ids.isEmpty else { return [] }
        return try write(.full) { database in
            try ids.filter { id in
                try database.run(
                    """
                    UPDATE transfer SET wanted = ?
                    WHERE id = ? AND result IS NULL AND wanted NOT LIKE 'cancelled%'
                    """,
                    [.text(wanted.rawValue), .int(id)]) > 0
            }
        }
    }

    /// Records that the end of the transfers was delivered to all recipients; on the disk on return.
    package func noteDelivered(_ ids: [Int64]) throws(StoreError) {
        try write(.full) { database in
            for id in ids {
                try database.run("UPDATE transfer SET delivered = 1 WHERE id = ?", [.int(id)])
            }
        }
    }

    /// Removes transfers that were delivered and finished before `date`. Keeps the last one of each declaration, since
    /// it gives the next date. Returns the number of removed ones.
    @discardableResult
    package func prune(before date: WallTime) throws(StoreError) -> Int {
        try write(.normal) { database in
            try database.run(
                """
                DELETE FROM transfer WHERE delivered = 1 AND finished < ? AND (name IS NULL
                    OR id <> (SELECT max(id) FROM transfer AS last WHERE last.name = transfer.name))
                """,
                [.int(date.milliseconds)])
        }
    }

    /// Removes delivered transfers of one declaration, except the newest `count`.
    package func prune(declared name: String, keeping count: Int) throws(StoreError) {
        _ = try write(.normal) { database in
            try database.run(
                """
                DELETE FROM transfer WHERE name = ? AND delivered = 1 AND result IS NOT NULL
                    AND id <= (SELECT id FROM transfer WHERE name = ?
                        ORDER BY id DESC LIMIT 1 OFFSET ?)
                """,
                [.text(name), .text(name), .int(count)])
        }
    }

    // MARK: the service

    /// The wanted state of each unfinished transfer, ordered by id.
    package func wishes() throws(StoreError) -> [(id: Int64, Transfer.Wanted)] {
        try fetch("SELECT id, wanted FROM transfer WHERE result IS NULL ORDER BY id") {
            (id: try $0[0], try Transfer.Wanted(stored: $0[1]))
        }
    }

    /// Stores the progress of transfers, all or none of it. With `full` it is on the disk on return. Skips missing
    /// ones.
    /// - Parameter metered: The bytes transferred on metered networks, and since when; nil: unchanged.
    package func save(
        _ progress: [(id: Int64, TransferProgress)], metered: MeteredBudget? = nil,
        _ durability: Durability
    ) throws(StoreError) {
        guard !progress.isEmpty || metered != nil else { return }
        try write(durability) { database in
            if let metered, let since = metered.since {
                try database.set([
                    ("metered-since", since.milliseconds), ("metered-bytes", metered.bytes),
                ])
            }
            for (id, progress) in progress {
                try database.run(
                    "UPDATE transfer SET \(TransferProgress.assignments) WHERE id = ?",
                    progress.values + [.int(id)])
            }
        }
    }

    /// The bytes transferred on metered networks, and since when.
    package func meteredBudget() throws(StoreError) -> MeteredBudget {
        let known = try facts()
        return MeteredBudget(
            since: known["metered-since"].map { WallTime(milliseconds: $0) },
            bytes: max(0, known["metered-bytes"] ?? 0))
    }

    /// The state that applies without a host: the device readings in the manifest, whether the app
    /// may transfer, and the policy.
    package func stated() throws(StoreError) -> (TransferConditions, TransferPolicy) {
        let known = try facts()
        func reading(_ name: String) -> Reading {
            known[name].flatMap { Int8(exactly: $0) }.flatMap(Reading.init(rawValue:)) ?? .unknown
        }
        let usual = TransferPolicy()
        func number(_ name: String, _ usual: Int64) -> Int64 { max(0, known[name] ?? usual) }
        return (
            TransferConditions(
                network: reading("stated-network"), metered: reading("stated-metered"),
                externalPower: reading("stated-power"), isForbidden: known["forbidden"] == 1),
            TransferPolicy(
                parallel: Int(clamping: number("parallel", Int64(usual.parallel))),
                connections: Int(clamping: number("connections", Int64(usual.connections))),
                meteredBudget: number("metered-budget", usual.meteredBudget),
                meteredPeriod: .milliseconds(
                    number("metered-period", usual.meteredPeriod.nanoseconds / 1_000_000)),
                maxSize: number("max-size", usual.maxSize))
        )
    }

    /// Stores the same. Called by the host.
    package func state(
        _ conditions: TransferConditions, _ policy: TransferPolicy
    ) throws(StoreError) {
        try write(.normal) { database in
            try database.set([
                ("stated-network", Int64(conditions.network.rawValue)),
                ("stated-metered", Int64(conditions.metered.rawValue)),
                ("stated-power", Int64(conditions.externalPower.rawValue)),
                ("forbidden", conditions.isForbidden ? 1 : 0),
                ("parallel", Int64(policy.parallel)), ("connections", Int64(policy.connections)),
                ("metered-budget", policy.meteredBudget),
                ("metered-period", policy.meteredPeriod.nanoseconds / 1_000_000),
                ("max-size", policy.maxSize),
            ])
        }
    }

    private func facts() throws(StoreError) -> [String: Int64] {
        let facts = try fetch("SELECT name, value FROM fact") {
            (try $0[0] as String, try $0[1] as Int64)
        }
        return Dictionary(facts) { first, _ in first }
    }

    // MARK: for hosts, commands and the service

    /// Selects transfers.
    package enum Choice: Equatable, Sendable {
        case all
        case unfinished
        /// Finished and not delivered, in the order of their end.
        case undelivered
        case session(String)
        /// Unfinished ones, and this many finished ones, the newest: the first `most` of them with an id above `after`.
        case recent(finished: Int, after: Int64 = 0, most: Int = .max)
        /// Those of one declaration in the manifest.
        case declared(String)
        /// The newest one of a declaration.
        case last(declared: String)
        case id(Int64)
    }

    /// Ordered by id, except for `undelivered`.
    package func transfers(_ choice: Choice) throws(StoreError) -> [Transfer] {
        let (rest, values): (String, [SQLValue]) =
            switch choice {
            case .all: ("ORDER BY id", [])
            case .unfinished: ("WHERE result IS NULL ORDER BY id", [])
            case .undelivered:
                ("WHERE delivered = 0 AND result IS NOT NULL ORDER BY finished, id", [])
            case .session(let session): ("WHERE session = ? ORDER BY id", [.text(session)])
            case .recent(let limit, let after, let most):
                (
                    """
                    WHERE id > ? AND (result IS NULL OR id IN (SELECT id FROM transfer
                        WHERE result IS NOT NULL ORDER BY id DESC LIMIT ?))
                    ORDER BY id LIMIT ?
                    """, [.int(after), .int(max(0, limit)), .int(max(0, most))]
                )
            case .declared(let name): ("WHERE name = ? ORDER BY id", [.text(name)])
            case .last(let name): ("WHERE name = ? ORDER BY id DESC LIMIT 1", [.text(name)])
            case .id(let id): ("WHERE id = ?", [.int(id)])
            }
        return try fetch("SELECT \(Transfer.columns) FROM transfer \(rest)", values) {
            try Transfer($0)
        }
    }

    package func transfer(_ id: Int64) throws(StoreError) -> Transfer? {
        try transfers(.id(id)).first
    }

    // MARK: transactions

    /// Holds the write lock of the database while `body` runs.
    package func whileWriting(_ body: () throws -> Void) throws {
        try database.run("BEGIN IMMEDIATE")
        let result = Result { try body() }
        try database.run("ROLLBACK")
        try result.get()
    }

    private func write<Value>(
        _ durability: Durability, _ body: (Database) throws -> Value
    ) throws(StoreError) -> Value {
        try checkFiles()
        return try Store.attempt(path) {
            let level = durability == .full ? "FULL" : "NORMAL"
            try database.execute("PRAGMA synchronous = \(level)")
            let (value, commits) = try database.transaction {
                (
                    try body(database),
                    durability == .full ? try StoreIdentity.countCommit(in: database) : nil
                )
            }
            if let commits { file?.noteCommits(commits) }
            return value
        }
    }

    private func fetch<Value>(
        _ sql: String, _ values: [SQLValue] = [], _ read: (borrowing Row) throws -> Value
    ) throws(StoreError) -> [Value] {
        try checkFiles()
        return try Store.attempt(path) { try database.all(sql, values, read) }
    }
}

extension Database {
    fileprivate func set(_ facts: [(name: String, value: Int64)]) throws {
        for fact in facts { try remember(fact.name, fact.value) }
    }
}
