// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// An app's transfers, in one SQLite file that its host, its transfer service and commands have open
/// at the same time.
///
/// Not `Sendable`: it belongs to the thread that opened it. Every call is a transaction of its own and
/// blocks; where others write, for a moment. What a call has stored outlives the process at once, and
/// the machine's next moment where the call says so.
package final class TransferStore {
    package let path: String
    private let database: Database

    /// Opens the database at `path`. Unless `readOnly`, it is created when missing and brought up to
    /// date when older. What is not such a database, or a newer one, is refused and left alone.
    /// - Parameter timeout: Seconds each call waits for other writers before it throws `busy`.
    package static func open(
        _ path: String, readOnly: Bool = false, timeout: Double = 5
    ) throws(StoreError) -> TransferStore {
        try Store.attempt(path) {
            let format = DatabaseFormat.transfers(timeout: timeout)
            return TransferStore(path, try format.open(path, readOnly: readOnly))
        }
    }

    private init(_ path: String, _ database: Database) {
        self.path = path
        self.database = database
    }

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

    /// Says what is wanted of a transfer from now on; on the disk when it returns. False: it has
    /// finished, was cancelled before, or is not there.
    @discardableResult
    package func want(_ wanted: Transfer.Wanted, of id: Int64) throws(StoreError) -> Bool {
        try !want(wanted, of: [id]).isEmpty
    }

    /// The same of several, of all or of none, with one wait for the disk; those it was said of.
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

    /// The end of the transfers is delivered to all recipients; on the disk when it returns.
    package func noteDelivered(_ ids: [Int64]) throws(StoreError) {
        try write(.full) { database in
            for id in ids {
                try database.run("UPDATE transfer SET delivered = 1 WHERE id = ?", [.int(id)])
            }
        }
    }

    /// Forgets transfers that were delivered and finished before `date`. Of each declared one the
    /// last stays, since it says when the next is due. Returns how many.
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

    /// Forgets transfers of one declaration that were delivered, but for the newest `count`.
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

    /// What is wanted of each unfinished transfer, in the order of their ids.
    package func wishes() throws(StoreError) -> [(id: Int64, Transfer.Wanted)] {
        try fetch("SELECT id, wanted FROM transfer WHERE result IS NULL ORDER BY id") {
            (id: try $0[0], try Transfer.Wanted(stored: $0[1]))
        }
    }

    /// Stores how far transfers are, all or none of it. With `full` it is on the disk when it returns.
    /// Missing ones are skipped.
    /// - Parameter metered: The bytes moved on metered networks, and since when; nil: as before.
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

    /// Bytes moved on metered networks, and since when.
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

    /// Which transfers are asked for.
    package enum Choice: Hashable, Sendable {
        case all
        case unfinished
        /// Finished and not delivered, in the order they finished.
        case undelivered
        case session(String)
        /// Those that are unfinished, and so many that have finished, the newest ones.
        case recent(Int)
        /// Those of one declaration of the manifest.
        case declared(String)
        /// The newest one of a declaration.
        case last(declared: String)
        case id(Int64)
    }

    /// In the order of their ids, but for `undelivered`.
    package func transfers(_ choice: Choice) throws(StoreError) -> [Transfer] {
        let (rest, values): (String, [SQLValue]) =
            switch choice {
            case .all: ("ORDER BY id", [])
            case .unfinished: ("WHERE result IS NULL ORDER BY id", [])
            case .undelivered:
                ("WHERE delivered = 0 AND result IS NOT NULL ORDER BY finished, id", [])
            case .session(let session): ("WHERE session = ? ORDER BY id", [.text(session)])
            case .recent(let limit):
                (
                    """
                    WHERE result IS NULL OR id IN (SELECT id FROM transfer
                        WHERE result IS NOT NULL ORDER BY id DESC LIMIT ?)
                    ORDER BY id
                    """, [.int(limit)]
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
        try Store.attempt(path) {
            let level = durability == .full ? "FULL" : "NORMAL"
            try database.execute("PRAGMA synchronous = \(level)")
            return try database.transaction { try body(database) }
        }
    }

    private func fetch<Value>(
        _ sql: String, _ values: [SQLValue] = [], _ read: (borrowing Row) throws -> Value
    ) throws(StoreError) -> [Value] {
        try Store.attempt(path) { try database.all(sql, values, read) }
    }
}

extension Database {
    fileprivate func set(_ facts: [(name: String, value: Int64)]) throws {
        for fact in facts { try remember(fact.name, fact.value) }
    }
}
