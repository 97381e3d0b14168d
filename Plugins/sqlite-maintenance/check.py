#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""sqlite-maintenance.maintain against real databases."""

import pathlib
import sqlite3
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Tests/PluginHarness"))
from harness import (  # noqa: E402
    contains, equal, expires, exports_its_entry_only, fails, main, rule, run, succeeds)

DAY = 86400


def library(directory, rows=5000, setup=""):
    """A database of `rows` photos, one taken each day back from today, at noon."""
    path = directory / "library.sqlite"
    db = sqlite3.connect(path)
    db.executescript(setup + "CREATE TABLE photos(id INTEGER PRIMARY KEY, taken INTEGER, deleted"
                             " INTEGER, bytes BLOB);")
    today = int(time.time()) - 60
    db.executemany("INSERT INTO photos VALUES (?, ?, ?, zeroblob(200))",
                   ((n, today - n * DAY, n % 2) for n in range(rows)))
    db.commit()
    db.close()
    return path


def ask(path, sql):
    db = sqlite3.connect(path)
    value = db.execute(sql).fetchone()[0]
    db.close()
    return value


def maintain(directory, expect=succeeds, on=(), checkpoint=True, **parameters):
    parameters.setdefault("database", "library.sqlite")
    return expect("sqlite-maintenance", "maintain", parameters, directory=directory, on=on,
                  checkpoint=directory / "checkpoint" if checkpoint else None)


OLD = [{"table": "photos", "column": "taken", "older_than": "90d"}]


@rule("a purge by age deletes exactly the rows that are older")
def _(directory):
    path = library(directory)
    done = maintain(directory, purge=OLD, batch=100)
    contains(done.message, "4910 rows deleted")
    equal(ask(path, "SELECT count(*) FROM photos"), 90)
    equal(ask(path, "SELECT max(id) FROM photos"), 89)


@rule("a purge by condition deletes exactly its rows, and age and condition hold together")
def _(directory):
    path = library(directory)
    maintain(directory, purge=[{"table": "photos", "where": "deleted = 1 OR id < 10"}])
    equal(ask(path, "SELECT count(*) FROM photos"), 2495)
    maintain(directory, purge=[{**OLD[0], "where": "id % 4 = 0 OR id = 92"}])
    equal(ask(path, "SELECT count(*) FROM photos WHERE id >= 90 AND (id % 4 = 0 OR id = 92)"), 0)
    equal(ask(path, "SELECT count(*) FROM photos WHERE id >= 90 AND id % 4 = 2"), 1228)


@rule("times are told in seconds, milliseconds or as text")
def _(directory):
    path = library(directory, rows=200)
    db = sqlite3.connect(path)
    db.executescript("CREATE TABLE ms AS SELECT id, taken * 1000 AS t FROM photos;"
                     "CREATE TABLE iso AS SELECT id, datetime(taken, 'unixepoch') AS t FROM photos;")
    db.close()
    maintain(directory, purge=[
        {"table": "ms", "column": "t", "older_than": "10d", "unit": "milliseconds"},
        {"table": "iso", "column": "t", "older_than": "20d", "unit": "text"}])
    equal(ask(path, "SELECT max(id) || ' ' || count(*) FROM ms"), "9 10")
    equal(ask(path, "SELECT max(id) || ' ' || count(*) FROM iso"), "19 20")


@rule("a column that tells time in another unit than the manifest says loses no row")
def _(directory):
    path = library(directory, rows=200)
    db = sqlite3.connect(path)
    db.executescript("CREATE TABLE text AS SELECT datetime(taken, 'unixepoch') AS t FROM photos;"
                     "CREATE TABLE ms AS SELECT taken * 1000 AS t FROM photos;"
                     "CREATE TABLE s AS SELECT taken AS t FROM photos; CREATE TABLE n(t);"
                     "INSERT INTO n VALUES (NULL), (x'00');")
    db.close()
    wrong = [("text", "seconds"), ("text", "milliseconds"), ("ms", "seconds"), ("ms", "text"),
             ("s", "milliseconds"), ("s", "text"), ("n", "seconds"), ("n", "text")]
    done = maintain(directory, purge=[
        {"table": table, "column": "t", "older_than": "1d", "unit": unit} for table, unit in wrong])
    contains(done.message, "0 rows deleted")


@rule("a condition may end in a comment")
def _(directory):
    path = library(directory, rows=4)
    maintain(directory, purge=[{"table": "photos", "where": "deleted -- by the user"}])
    equal(ask(path, "SELECT count(*) FROM photos"), 2)


@rule("tables without rowid, with a column that hides it, and with quotes in a name are purged")
def _(directory):
    path = library(directory, rows=1)
    db = sqlite3.connect(path)
    db.executescript("""
        CREATE TABLE pair(a, b, gone, PRIMARY KEY(a, b)) WITHOUT ROWID;
        INSERT INTO pair VALUES (1, 1, 0), (1, 2, 1), (2, 1, 1), (2, 2, 0);
        CREATE TABLE hides(rowid, gone);
        INSERT INTO hides VALUES (1, 1), (1, 0), (1, 0);
        CREATE TABLE "odd "" name"(gone);
        INSERT INTO "odd "" name" VALUES (0), (1);""")
    db.close()
    maintain(directory, batch=1, purge=[
        {"table": name, "where": "gone"} for name in ("pair", "hides", 'odd " name')])
    equal(ask(path, "SELECT group_concat(a || b) FROM pair"), "11,22")
    equal(ask(path, "SELECT count(*) FROM hides"), 2)
    equal(ask(path, 'SELECT count(*) FROM "odd "" name"'), 1)


@rule("children go with their parents when the schema says so, and a restriction is an error")
def _(directory):
    path = library(directory, rows=0, setup="""
        CREATE TABLE album(id INTEGER PRIMARY KEY);
        CREATE TABLE item(album REFERENCES album ON DELETE CASCADE);
        CREATE TABLE lent(album REFERENCES album);
        INSERT INTO album VALUES (1), (2);
        INSERT INTO item VALUES (1), (2);
        INSERT INTO lent VALUES (2);""")
    maintain(directory, purge=[{"table": "album", "where": "id = 1"}])
    equal(ask(path, "SELECT count(*) FROM item"), 1)
    done = maintain(directory, fails, purge=[{"table": "album", "where": "id = 2"}])
    contains(done.message, "FOREIGN KEY constraint failed")


@rule("vacuum: full makes the file smaller")
def _(directory):
    path = library(directory)
    before = path.stat().st_size
    maintain(directory, purge=OLD, vacuum="full")
    assert path.stat().st_size < before / 5, path.stat().st_size


@rule("vacuum: incremental gives every free page back, batch after batch")
def _(directory):
    path = library(directory, setup="PRAGMA auto_vacuum = INCREMENTAL;")
    done = maintain(directory, purge=OLD, vacuum="incremental", batch=20)
    equal(ask(path, "PRAGMA freelist_count"), 0)
    shown = [int(line.split("/")[0]) for line in done.of("progress")]
    assert len([one for one in shown if 2000 < one < 3000]) > 5, shown


@rule("vacuum: incremental says what to do when the database was not made for it")
def _(directory):
    library(directory)
    contains(maintain(directory, fails, vacuum="incremental").message, "auto_vacuum = INCREMENTAL")


@rule("progress never goes back and ends at its total")
def _(directory):
    library(directory)
    done = maintain(directory, purge=OLD, vacuum="full", batch=500)
    shown = [tuple(map(int, line.split("/"))) for line in done.of("progress")]
    equal(shown, sorted(shown))
    equal(shown[-1], (3000, 3000))


@rule("a damaged database is reported and nothing in it is changed")
def _(directory):
    path = library(directory)
    data = bytearray(path.read_bytes())
    data[4096 * 10:4096 * 12] = b"\xff" * 8192
    path.write_bytes(data)
    for check in ("quick", "full"):
        done = maintain(directory, fails, integrity_check=check, purge=OLD)
        contains(done.message, "the database is damaged")
        equal(path.read_bytes(), bytes(data))


@rule("expiration between batches stores the position and the next attempt continues there")
def _(directory):
    path = library(directory)
    done = maintain(directory, expires, purge=OLD, batch=100, on=["checkpoint#8=expire"])
    contains(done.message, "stopped in step 2 of 2 after 700 rows")
    equal(ask(path, "SELECT count(*) FROM photos"), 4300)
    done = maintain(directory, purge=OLD, batch=100)
    contains(done.of("log")[0], "continuing at step 2 of 2, 700 rows were deleted before")
    assert "Checking" not in " ".join(done.of("title")), "the check ran again"
    contains(done.message, "4910 rows deleted")
    equal(ask(path, "SELECT count(*) FROM photos"), 90)
    assert not (directory / "checkpoint").exists()


@rule("a kill at any checkpoint loses no row that should stay and the next attempt finishes")
def _(directory):
    path = library(directory, rows=1000)
    for number in (1, 2, 3, 5):
        dead = maintain(directory, run, purge=OLD, batch=50, on=[f"checkpoint#{number}=kill"])
        equal(dead.status, -9)
        equal(ask(path, "SELECT count(*) FROM photos WHERE id < 90"), 90)
        equal(ask(path, "PRAGMA integrity_check"), "ok")
    contains(maintain(directory, purge=OLD, batch=50).message, "910 rows deleted")
    equal(ask(path, "SELECT count(*) FROM photos"), 90)


@rule("a long statement is interrupted in its middle and its batch is undone")
def _(directory):
    path = library(directory)
    slow = [{"table": "photos", "where":
             "(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
             "SELECT max(i) FROM n) > 0"}]
    done = maintain(directory, expires, integrity_check=False, purge=slow, on=["poll#20=expire"])
    contains(done.message, "stopped in step 1 of 1 after 0 rows")
    equal(ask(path, "SELECT count(*) FROM photos"), 5000)


@rule("the wait for another program's lock ends when time is revoked")
def _(directory):
    path = library(directory)
    other = sqlite3.connect(path)
    other.execute("BEGIN IMMEDIATE")
    done = maintain(directory, expires, purge=OLD, busy_timeout="1w",
                    on=["title#3=expire"])
    other.rollback()
    contains(" ".join(done.of("title")), "waiting for another program's lock")
    equal(ask(path, "SELECT count(*) FROM photos"), 5000)


@rule("a lock that is not given up in busy_timeout is an error that says so")
def _(directory):
    path = library(directory)
    other = sqlite3.connect(path)
    other.execute("BEGIN IMMEDIATE")
    done = maintain(directory, fails, purge=OLD, busy_timeout="0s")
    contains(done.message, "database is locked")


@rule("the host's wish to defer is followed between batches")
def _(directory):
    path = library(directory)
    done = maintain(directory, fails, purge=OLD, batch=100, on=["checkpoint#3=defer"])
    contains(done.message, "stopped in step 2 of 2 after 200 rows; the next attempt continues there")
    equal(ask(path, "SELECT count(*) FROM photos"), 4800)


@rule("a checkpoint of other parameters is not used")
def _(directory):
    library(directory)
    maintain(directory, expires, purge=OLD, batch=100, on=["checkpoint#8=expire"])
    done = maintain(directory, purge=[{"table": "photos", "where": "deleted = 1"}])
    equal(done.of("log"), [])
    contains(" ".join(done.of("title")), "Checking integrity")


@rule("a host without checkpoints gets the same work done in one attempt")
def _(directory):
    path = library(directory)
    maintain(directory, purge=OLD, checkpoint=False)
    equal(ask(path, "SELECT count(*) FROM photos"), 90)


@rule("a database in WAL mode stays in it, also while another program reads")
def _(directory):
    path = library(directory, setup="PRAGMA journal_mode = WAL;")
    reader = sqlite3.connect(path)
    reader.execute("BEGIN")
    equal(reader.execute("SELECT count(*) FROM photos").fetchone(), (5000,))
    maintain(directory, purge=OLD)
    equal(reader.execute("SELECT count(*) FROM photos").fetchone(), (5000,))
    reader.close()
    equal(ask(path, "PRAGMA journal_mode"), "wal")
    equal(ask(path, "SELECT count(*) FROM photos"), 90)


@rule("parameters and files that cannot be used are refused with what to do")
def _(directory):
    library(directory, rows=1, setup="CREATE VIEW seen AS SELECT 1 AS x;")
    (directory / "text").write_text("this is not a database, but it is long enough to be read\n" * 99)
    cases = [
        ({"database": "nowhere.sqlite"}, "unable to open database file"),
        ({"database": "text"}, "file is not a database"),
        ({"database": ""}, "database: is missing"),
        ({"vacum": "full"}, 'unknown key "vacum"'),
        ({"vacuum": "some"}, "one of full, incremental, false"),
        ({"integrity_check": True}, "one of quick, full, false"),
        ({"batch": 0}, "from 1 to 1000000"),
        ({"purge": {}}, "purge: must be a list"),
        ({"purge": [{"table": "photos"}]}, "name the rows of photos"),
        ({"purge": [{"table": "photos", "column": "taken"}]}, "go together"),
        ({"purge": [{"table": "photos", "column": "taken", "older_than": 90}]}, "with its unit"),
        ({"purge": [{"table": "fotos", "where": "1"}]}, 'no table "fotos"'),
        ({"purge": [{"table": "seen", "where": "1"}]}, 'no table "seen"'),
        ({"purge": [{"table": "photos", "where": "nope = 1"}]}, "no such column: nope"),
        ({"purge": [{"table": "photos", "column": "nope", "older_than": "1d"}]}, "nope"),
    ]
    for parameters, expected in cases:
        contains(maintain(directory, fails, **parameters).message, expected)
    assert not (directory / "nowhere.sqlite").exists()


exports_its_entry_only("sqlite-maintenance")
main()
