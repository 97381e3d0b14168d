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
INSERT INTO transfer (session, request, submitted, wanted, bytes, began)
VALUES ('s', '{"session":"s","direction":"download","url":"http://h/","headers":[],"isDiscretionary":false,"allowsMetered":true,"sendsLaunchEvents":true,"requestTimeout":1,"resourceTimeout":2,"retry":{"from":1,"to":2},"verifiesServer":true}', 5, 'run', 7, 6);
PRAGMA application_id = 0x62677274;
PRAGMA user_version = 1;
