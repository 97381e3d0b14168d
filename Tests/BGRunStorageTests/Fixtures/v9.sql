BEGIN TRANSACTION;
CREATE TABLE checkpoint (
    identifier TEXT PRIMARY KEY,
    version INTEGER NOT NULL,
    data BLOB NOT NULL
) STRICT;
INSERT INTO checkpoint VALUES('daily',3,X'0001ff');
CREATE TABLE event (
    id INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    elapsed INTEGER NOT NULL,
    kind TEXT NOT NULL,
    identifier TEXT NOT NULL,
    attempt INTEGER,
    text TEXT NOT NULL
) STRICT;
INSERT INTO event VALUES(1,30,30000000,'note','a',NULL,'line 30');
CREATE TABLE fact (
    name TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO fact VALUES('launch:daily',5);
INSERT INTO fact VALUES('next-request',12);
INSERT INTO fact VALUES('pending:app-refresh',0);
INSERT INTO fact VALUES('pending:processing',1);
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
, earliest INTEGER, result TEXT, processor INTEGER, annotations TEXT) STRICT;
INSERT INTO history VALUES(4,'daily','app-refresh',10,1010,0,0,4,30,26000000,NULL,'expired','time',1,NULL,NULL,31,0,NULL,NULL,120,'tag:nightly tag:sync');
CREATE TABLE output (
    attempt INTEGER NOT NULL,
    line INTEGER NOT NULL,
    stream TEXT NOT NULL,
    at INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (attempt, line)
) STRICT, WITHOUT ROWID;
INSERT INTO output VALUES(4,1,'stderr',5,'it''s');
CREATE TABLE request (
    identifier TEXT PRIMARY KEY,
    id INTEGER NOT NULL,
    kind TEXT NOT NULL,
    submitted INTEGER NOT NULL,
    earliest INTEGER,
    parameters TEXT,
    failures INTEGER NOT NULL,
    interruptions INTEGER NOT NULL
, waiting_since INTEGER, requires INTEGER NOT NULL DEFAULT 0, occurrence INTEGER, annotations TEXT) STRICT, WITHOUT ROWID;
INSERT INTO request VALUES('com.example.photos.export.📷',7,'processing',9223372036854775807,-1,'{"album": "Überall"}',3,2,NULL,0,NULL,NULL);
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
, waiting_since INTEGER, requires INTEGER NOT NULL DEFAULT 0, occurrence INTEGER, annotations TEXT) STRICT;
INSERT INTO running VALUES(5,'daily',5,5000000,90000,11,'daily','app-refresh',1011,NULL,NULL,0,0,NULL,NULL,NULL,1,2,'T','S',NULL,NULL,NULL,0,NULL,NULL);
CREATE TABLE firing (
    id INTEGER PRIMARY KEY,
    hook TEXT NOT NULL,
    event TEXT NOT NULL
) STRICT;
INSERT INTO firing VALUES(3,'h','{}');
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
INSERT INTO push VALUES(4,'com.example.changed','{"aps":{"content-available":1}}','album-7',5,40,NULL,12);
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
CREATE INDEX history_identifier ON history (identifier);
CREATE INDEX history_ended ON history (ended);
CREATE INDEX history_trouble ON history (ended) WHERE outcome <> 'completed';
COMMIT;
PRAGMA application_id = 1650946670;
PRAGMA user_version = 9;
PRAGMA journal_mode = WAL;
