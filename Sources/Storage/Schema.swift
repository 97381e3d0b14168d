// SPDX-License-Identifier: Apache-2.0

/// The schema of the database, as the steps that create it.
///
/// A released step is never changed: a new version is a new step at the end, and a fixture of the
/// previous version is added to the tests.
enum Schema {
    /// The `application_id` of our databases, "bgrn".
    static let applicationID: UInt32 = 0x6267_726E

    /// `steps[n]` leads from version n to version n + 1.
    static let steps = [
        version1, version2, version3, version4, version5, version6, version7, version8, version9,
    ]

    static var version: Int { steps.count }

    static let objects = SchemaObject.declared(
        in: steps,
        SchemaObject(type: "index", name: "sqlite_autoindex_checkpoint_1", table: "checkpoint"))

    /// Instants on the calendar clock are in milliseconds since 1970, durations and instants on the
    /// elapsed clock in nanoseconds; words are those of `BGRunPolicy`.
    private static let version1 = """
        -- One b-tree, so that a submission or a launch writes one page of it.
        CREATE TABLE request (
            identifier TEXT PRIMARY KEY,
            id INTEGER NOT NULL,
            kind TEXT NOT NULL,
            submitted INTEGER NOT NULL,
            earliest INTEGER,
            parameters TEXT,
            failures INTEGER NOT NULL,
            interruptions INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        -- What must be known without a scan, and outlive the rows it comes from:
        -- next-request: the next id; pending:KIND: how many; launch:IDENTIFIER: the last launch of
        -- a task that is declared by its full name. Together, because a launch changes them
        -- together and pays by the page.
        CREATE TABLE fact (
            name TEXT PRIMARY KEY,
            value INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        INSERT INTO fact VALUES ('next-request', 1);

        CREATE TRIGGER request_inserted AFTER INSERT ON request BEGIN
            INSERT INTO fact VALUES ('pending:' || NEW.kind, 1)
                ON CONFLICT DO UPDATE SET value = value + 1;
            UPDATE fact SET value = NEW.id + 1
                WHERE name = 'next-request' AND value <= NEW.id;
        END;
        CREATE TRIGGER request_deleted AFTER DELETE ON request BEGIN
            UPDATE fact SET value = value - 1 WHERE name = 'pending:' || OLD.kind;
        END;
        CREATE TRIGGER request_replaced AFTER UPDATE ON request BEGIN
            UPDATE fact SET value = value - 1 WHERE name = 'pending:' || OLD.kind;
            INSERT INTO fact VALUES ('pending:' || NEW.kind, 1)
                ON CONFLICT DO UPDATE SET value = value + 1;
            UPDATE fact SET value = NEW.id + 1
                WHERE name = 'next-request' AND value <= NEW.id;
        END;

        -- Attempts whose end is not recorded: a few rows, each with its whole request.
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
        ) STRICT;

        -- Attempts that are over.
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
        ) STRICT;
        CREATE INDEX history_identifier ON history (identifier);

        CREATE TABLE checkpoint (
            identifier TEXT PRIMARY KEY,
            version INTEGER NOT NULL,
            data BLOB NOT NULL
        ) STRICT;

        CREATE TABLE output (
            attempt INTEGER NOT NULL,
            line INTEGER NOT NULL,
            stream TEXT NOT NULL,
            at INTEGER NOT NULL,
            text TEXT NOT NULL,
            PRIMARY KEY (attempt, line)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE event (
            id INTEGER PRIMARY KEY,
            at INTEGER NOT NULL,
            elapsed INTEGER NOT NULL,
            kind TEXT NOT NULL,
            identifier TEXT NOT NULL,
            attempt INTEGER,
            text TEXT NOT NULL
        ) STRICT;
        """

    /// A replaced request keeps its waiting time.
    private static let version2 = """
        ALTER TABLE request ADD COLUMN waiting_since INTEGER;
        ALTER TABLE running ADD COLUMN waiting_since INTEGER;
        """

    /// A request may have conditions in addition to those of its task.
    private static let version3 = """
        ALTER TABLE request ADD COLUMN requires INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE running ADD COLUMN requires INTEGER NOT NULL DEFAULT 0;
        """

    /// When an attempt could have been launched, and indexes for a long history: by date, and for
    /// attempts that did not complete, which are usually few.
    private static let version4 = """
        ALTER TABLE history ADD COLUMN earliest INTEGER;
        CREATE INDEX history_ended ON history (ended);
        CREATE INDEX history_trouble ON history (ended) WHERE outcome <> 'completed';
        """

    /// The date in its task's schedule of a request.
    private static let version5 = """
        ALTER TABLE request ADD COLUMN occurrence INTEGER;
        ALTER TABLE running ADD COLUMN occurrence INTEGER;
        """

    /// Hooks that must still run: their input, and the key of each hook.
    private static let version6 = """
        CREATE TABLE firing (
            id INTEGER PRIMARY KEY,
            hook TEXT NOT NULL,
            event TEXT NOT NULL
        ) STRICT;
        """

    /// Silent pushes that wait for an attempt, and the result of an attempt for its own.
    private static let version7 = """
        CREATE TABLE push (
            id INTEGER PRIMARY KEY,
            identifier TEXT NOT NULL,
            payload TEXT NOT NULL,
            collapse_id TEXT,
            priority INTEGER NOT NULL,
            received INTEGER NOT NULL,
            expires INTEGER,
            request INTEGER NOT NULL
        ) STRICT;
        ALTER TABLE history ADD COLUMN result TEXT;
        """

    /// The processor time of an attempt, in milliseconds.
    private static let version8 = """
        ALTER TABLE history ADD COLUMN processor INTEGER;
        """

    /// The annotations of a request, as their words.
    private static let version9 = """
        ALTER TABLE request ADD COLUMN annotations TEXT;
        ALTER TABLE running ADD COLUMN annotations TEXT;
        ALTER TABLE history ADD COLUMN annotations TEXT;
        """
}
