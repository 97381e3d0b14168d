// SPDX-License-Identifier: Apache-2.0

extension TransferSchema {
    /// What SQLite reports once every step is taken, in the order of types and names: a database is compared
    /// with it at each open, which takes no step. A test compares it with the steps.
    static let objects = [
        SchemaObject(
            "index", "transfer_name", of: "transfer",
            """
            CREATE INDEX transfer_name ON transfer (name) WHERE name IS NOT NULL
            """),
        SchemaObject(
            "index", "transfer_undelivered", of: "transfer",
            """
            CREATE INDEX transfer_undelivered ON transfer (session) WHERE delivered = 0
            """),
        SchemaObject(
            "index", "transfer_unfinished", of: "transfer",
            """
            CREATE INDEX transfer_unfinished ON transfer (id) WHERE result IS NULL
            """),
        SchemaObject(
            "table", "fact", of: "fact",
            """
            CREATE TABLE fact (
                name TEXT PRIMARY KEY,
                value INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID
            """),
        SchemaObject(
            "table", "sqlite_sequence", of: "sqlite_sequence",
            """
            CREATE TABLE sqlite_sequence(name,seq)
            """),
        SchemaObject(
            "table", "transfer", of: "transfer",
            """
            CREATE TABLE transfer (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                session TEXT NOT NULL,
                name TEXT,
                request TEXT NOT NULL,
                submitted INTEGER NOT NULL,
                wanted TEXT NOT NULL,
                delivered INTEGER NOT NULL DEFAULT 0,

                bytes INTEGER NOT NULL DEFAULT 0,
                total INTEGER,
                running INTEGER NOT NULL DEFAULT 0,
                began INTEGER,
                failures INTEGER NOT NULL DEFAULT 0,
                retry_at INTEGER,
                failure TEXT,
                problem TEXT,
                status INTEGER,
                validator TEXT,
                tag TEXT,
                synced INTEGER NOT NULL DEFAULT 0,
                boot TEXT,
                file TEXT,
                headers TEXT,
                result TEXT,
                finished INTEGER
            , spent INTEGER NOT NULL DEFAULT 0, counted INTEGER NOT NULL DEFAULT 0, \
            counted_boot TEXT, resumed INTEGER) STRICT
            """),
    ]
}
