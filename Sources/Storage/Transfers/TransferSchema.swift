// SPDX-License-Identifier: Apache-2.0

/// The schema of the transfers' database, as the steps that create it. A released step is never changed.
enum TransferSchema {
    /// "bgrt".
    static let applicationID: UInt32 = 0x6267_7274

    static let steps = [version1, version2]
    static let objects = SchemaObject.declared(
        in: steps,
        SchemaObject(
            type: "table", name: "sqlite_sequence", table: "sqlite_sequence",
            sql: "CREATE TABLE sqlite_sequence(name,seq)"))

    /// Instants are in milliseconds since 1970. Hosts and commands write the columns above `bytes`, only the service
    /// writes the others: no writer overwrites the columns of another.
    private static let version1 = """
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
        ) STRICT;
        CREATE INDEX transfer_unfinished ON transfer (id) WHERE result IS NULL;
        CREATE INDEX transfer_undelivered ON transfer (session) WHERE delivered = 0;
        CREATE INDEX transfer_name ON transfer (name) WHERE name IS NOT NULL;

        -- metered-since, metered-bytes: what has been moved on metered networks, and since when.
        CREATE TABLE fact (
            name TEXT PRIMARY KEY,
            value INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        """

    /// Milliseconds since its start, CLOCK_BOOTTIME of the last count, and its boot. Further facts: stated-network,
    /// stated-metered, stated-power, forbidden and the numbers of the policy, for a service without a host.
    private static let version2 = """
        ALTER TABLE transfer ADD COLUMN spent INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE transfer ADD COLUMN counted INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE transfer ADD COLUMN counted_boot TEXT;
        ALTER TABLE transfer ADD COLUMN resumed INTEGER;
        """
}
