// SPDX-License-Identifier: Apache-2.0

extension Schema {
    /// What SQLite reports once every step is taken, in the order of types and names: a database is compared
    /// with it at each open, which takes no step. A test compares it with the steps.
    static let objects = [
        SchemaObject(
            "index", "history_ended", of: "history",
            """
            CREATE INDEX history_ended ON history (ended)
            """),
        SchemaObject(
            "index", "history_identifier", of: "history",
            """
            CREATE INDEX history_identifier ON history (identifier)
            """),
        SchemaObject(
            "index", "history_trouble", of: "history",
            """
            CREATE INDEX history_trouble ON history (ended) WHERE outcome <> 'completed'
            """),
        SchemaObject("index", "sqlite_autoindex_checkpoint_1", of: "checkpoint", nil),
        SchemaObject(
            "table", "checkpoint", of: "checkpoint",
            """
            CREATE TABLE checkpoint (
                identifier TEXT PRIMARY KEY,
                version INTEGER NOT NULL,
                data BLOB NOT NULL
            ) STRICT
            """),
        SchemaObject(
            "table", "event", of: "event",
            """
            CREATE TABLE event (
                id INTEGER PRIMARY KEY,
                at INTEGER NOT NULL,
                elapsed INTEGER NOT NULL,
                kind TEXT NOT NULL,
                identifier TEXT NOT NULL,
                attempt INTEGER,
                text TEXT NOT NULL
            ) STRICT
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
            "table", "firing", of: "firing",
            """
            CREATE TABLE firing (
                id INTEGER PRIMARY KEY,
                hook TEXT NOT NULL,
                event TEXT NOT NULL
            ) STRICT
            """),
        SchemaObject(
            "table", "history", of: "history",
            """
            CREATE TABLE history (
                attempt INTEGER PRIMARY KEY,
                identifier TEXT NOT NULL,
                kind TEXT NOT NULL,
                request INTEGER NOT NULL,
                submitted INTEGER NOT NULL,
                failures INTEGER NOT NULL,
                interruptions INTEGER NOT NULL,
                launched INTEGER NOT NULL,
                ended INTEGER NOT NULL,
                duration INTEGER,
                entered INTEGER,
                outcome TEXT NOT NULL,
                reason TEXT,
                reported INTEGER,
                code INTEGER,
                message TEXT,
                worker INTEGER,
                output_dropped INTEGER NOT NULL
            , earliest INTEGER, result TEXT, processor INTEGER, annotations TEXT) STRICT
            """),
        SchemaObject(
            "table", "output", of: "output",
            """
            CREATE TABLE output (
                attempt INTEGER NOT NULL,
                line INTEGER NOT NULL,
                stream TEXT NOT NULL,
                at INTEGER NOT NULL,
                text TEXT NOT NULL,
                PRIMARY KEY (attempt, line)
            ) STRICT, WITHOUT ROWID
            """),
        SchemaObject(
            "table", "push", of: "push",
            """
            CREATE TABLE push (
                id INTEGER PRIMARY KEY,
                identifier TEXT NOT NULL,
                payload TEXT NOT NULL,
                collapse_id TEXT,
                priority INTEGER NOT NULL,
                received INTEGER NOT NULL,
                expires INTEGER,
                request INTEGER NOT NULL
            ) STRICT
            """),
        SchemaObject(
            "table", "request", of: "request",
            """
            CREATE TABLE request (
                identifier TEXT PRIMARY KEY,
                id INTEGER NOT NULL,
                kind TEXT NOT NULL,
                submitted INTEGER NOT NULL,
                earliest INTEGER,
                parameters TEXT,
                failures INTEGER NOT NULL,
                interruptions INTEGER NOT NULL
            , waiting_since INTEGER, requires INTEGER NOT NULL DEFAULT 0, occurrence INTEGER, \
            annotations TEXT) \
            STRICT, WITHOUT ROWID
            """),
        SchemaObject(
            "table", "running", of: "running",
            """
            CREATE TABLE running (
                attempt INTEGER PRIMARY KEY,
                declaration TEXT NOT NULL,
                launched INTEGER NOT NULL,
                launched_elapsed INTEGER NOT NULL,
                deadline_elapsed INTEGER NOT NULL,
                request INTEGER NOT NULL,
                identifier TEXT NOT NULL,
                kind TEXT NOT NULL,
                submitted INTEGER NOT NULL,
                earliest INTEGER,
                parameters TEXT,
                failures INTEGER NOT NULL,
                interruptions INTEGER NOT NULL,
                worker INTEGER,
                worker_started INTEGER,
                worker_boot TEXT,
                completed INTEGER,
                total INTEGER,
                title TEXT,
                subtitle TEXT,
                expiring TEXT,
                expiring_at INTEGER
            , waiting_since INTEGER, requires INTEGER NOT NULL DEFAULT 0, occurrence INTEGER, \
            annotations TEXT) \
            STRICT
            """),
        SchemaObject(
            "trigger", "request_deleted", of: "request",
            """
            CREATE TRIGGER request_deleted AFTER DELETE ON request BEGIN
                UPDATE fact SET value = value - 1 WHERE name = 'pending:' || OLD.kind;
            END
            """),
        SchemaObject(
            "trigger", "request_inserted", of: "request",
            """
            CREATE TRIGGER request_inserted AFTER INSERT ON request BEGIN
                INSERT INTO fact VALUES ('pending:' || NEW.kind, 1)
                    ON CONFLICT DO UPDATE SET value = value + 1;
                UPDATE fact SET value = NEW.id + 1
                    WHERE name = 'next-request' AND value <= NEW.id;
            END
            """),
        SchemaObject(
            "trigger", "request_replaced", of: "request",
            """
            CREATE TRIGGER request_replaced AFTER UPDATE ON request BEGIN
                UPDATE fact SET value = value - 1 WHERE name = 'pending:' || OLD.kind;
                INSERT INTO fact VALUES ('pending:' || NEW.kind, 1)
                    ON CONFLICT DO UPDATE SET value = value + 1;
                UPDATE fact SET value = NEW.id + 1
                    WHERE name = 'next-request' AND value <= NEW.id;
            END
            """),
    ]
}
