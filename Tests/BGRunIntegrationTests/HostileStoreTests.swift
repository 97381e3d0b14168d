// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Foundation
import Glibc
import Testing

@Suite("A store that another program has changed", .timeLimit(.minutes(5)))
struct HostileStoreTests {
    private static let readers = [["history"], ["pending"], ["report"], ["metrics"], ["logs"]]

    /// Tables that every command reads, and those that a host reads when it starts.
    private static let tables = ["history", "request", "event", "fact", "output"] + hostTables
    private static let hostTables = ["running", "push", "firing", "checkpoint"]

    @Test(
        "with any number in any column ends no command by a signal, nor the next host",
        arguments: tables, [Int64.max, .min, -1, 1_000_000_000_000_000])
    func numbers(_ table: String, _ number: Int64) async throws {
        try await expectNoSignal(table, type: "INTEGER", "\(number)")
    }

    @Test(
        "with any text in any column ends no command by a signal, nor the next host",
        arguments: tables, ["''", "'{'", "'org.test.' || char(1, 10, 55296, 1114111)"])
    func texts(_ table: String, _ text: String) async throws {
        try await expectNoSignal(table, type: "TEXT", text)
    }

    @Test(
        "with two identifiers that are equal in Swift ends neither a command nor the next host",
        arguments: [
            ["char(0xE9)", "'e' || char(0x301)"], ["CAST(x'FF' AS TEXT)", "CAST(x'FE' AS TEXT)"],
        ])
    func equalIdentifiers(_ endings: [String]) async throws {
        try await Sandbox.withProbe(
            "org.test.w.*: {kind: processing, submit: manual, earliest: 1d, handler: probe.who}"
        ) { box in
            #expect(try await box.run("submit", "org.test.w.a").code == 0)
            let path = box.state + "/org.test.app/bgrun.sqlite"
            _ = try Self.rows(path, "PRAGMA wal_checkpoint(TRUNCATE)")
            _ = try Self.rows(path, "PRAGMA journal_mode = DELETE")
            for (id, ending) in zip(90..., endings) {
                _ = try Self.rows(
                    path,
                    """
                    INSERT INTO request (identifier, id, kind, submitted, failures, interruptions)
                    VALUES ('org.test.w.' || \(ending), \(id), 'processing', 1, 0, 0)
                    """)
            }
            #expect(try Self.rows(path, "SELECT count(*) FROM request") == ["3"])
            try await Self.expectNoSignal(box, "\(endings)")
        }
    }

    /// Writes a value into each column of `type` in a table, one after the other.
    private func expectNoSignal(_ table: String, type: String, _ value: String) async throws {
        try await withEveryTable { box in
            let path = box.state + "/org.test.app/bgrun.sqlite"
            let good = try Data(contentsOf: URL(filePath: path))
            let columns = try Self.rows(
                path, "SELECT name FROM pragma_table_info('\(table)') WHERE type = '\(type)'")
            for column in columns {
                try good.write(to: URL(filePath: path))
                let isFilled = try Self.rows(path, "SELECT count(*) FROM \(table)") != ["0"]
                #expect(isFilled, "\(table) is empty")
                _ = try Self.rows(path, "UPDATE OR IGNORE \(table) SET \(column) = \(value)")
                try await Self.expectNoSignal(
                    box, "\(table).\(column) = \(value)",
                    Self.hostTables.contains(table) ? [["pending"], ["metrics"]] : Self.readers)
            }
        }
    }

    @Test("with the largest number of bytes in its transfers ends no command")
    func transfers() async throws {
        try await Sandbox.withTransfers(Sandbox.declaredFile) { box, server in
            try server.put("file", size: 10)
            #expect(try await box.run("run").code == 0)
            let path = box.state + "/org.test.app/transfers.sqlite"
            let columns = try Self.rows(
                path, "SELECT name FROM pragma_table_info('transfer') WHERE pk = 0"
            ).joined(separator: ", ")
            let copy = "INSERT INTO transfer (\(columns)) SELECT \(columns) FROM transfer"
            _ = try Self.rows(path, copy)
            _ = try Self.rows(path, "UPDATE transfer SET bytes = \(Int64.max)")
            let run = try await box.run("metrics")
            #expect(run.code == 0, "\(run.error)")
            #expect(run.output.contains("direction=\"download\"} \(Int64.max)\n"), "\(run.output)")
        }
    }

    @Test(
        "with any counts in its metrics.json gives metrics",
        arguments: ["[]", "[\(Int.max)]", "[\(Int.max),-1,1,1,1,1,1,1,\(Int.max),1]"])
    func metrics(_ counts: String) async throws {
        try await withStore { box in
            let most = Int.max
            let lengths = "{\"counts\": \(counts), \"sum\": \(most)}"
            try """
            {"through": 0, "maximum": 9, "counted": [], "tasks": {"org.test.a": {
                "ended": {"": 1, "completed": \(most)}, "failuresInARow": \(most),
                "runTime": \(lengths), "delay": \(lengths)}}}
            """.write(
                toFile: box.state + "/org.test.app/metrics.json", atomically: true, encoding: .utf8)
            let run = try await box.run("metrics")
            #expect(run.code == 0, "\(run.code) \(run.error)")
            #expect(run.output.contains("task=\"org.test.a\""), "\(run.output)")
        }
    }

    @Test(
        "with a damaged row of the history: each command names it once on standard error",
        arguments: readers + [["top", "--json"]])
    func named(_ command: [String]) async throws {
        try await withStore { box in
            let path = box.state + "/org.test.app/bgrun.sqlite"
            _ = try Self.rows(path, "UPDATE history SET attempt = \(Int64.max)")
            _ = try Self.rows(path, "UPDATE request SET failures = -1")
            let run = try await box.run(
                command + ["--manifest", box.manifest, "--state", box.state])
            let lines = run.error.split(separator: "\n")
                .filter { $0.contains("is damaged (") && $0.contains("and is left aside") }
            let table = ["pending", "top"].contains(command[0]) ? "request" : "history"
            let named = lines.filter { $0.contains("the row of \(table) with ") }
            #expect(named.count == 1, "\(command): \(run.error)")
        }
    }

    @Test("with changed bytes is damaged or read, and crashes nothing")
    func bytes() async throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = Changes(state: seed)
        try await withStore { box in
            let path = box.state + "/org.test.app/bgrun.sqlite"
            let good = try Data(contentsOf: URL(filePath: path))
            for round in 0..<20 {
                var bad = good
                for _ in 0..<Int.random(in: 1...40, using: &random) {
                    bad[Int.random(in: 0..<bad.count, using: &random)] = .random(
                        in: .min ... .max, using: &random)
                }
                try bad.write(to: URL(filePath: path))
                try await Self.expectNoSignal(box, "seed \(seed), round \(round)")
            }
        }
    }

    @Test(
        "on a full disk keeps acknowledged requests, and its host ends with 74",
        .enabled(if: geteuid() == 0, "mounts a file system of its own"))
    func fullDisk() async throws {
        try await Sandbox.withProbe(
            "org.test.a.*: {kind: processing, submit: manual, handler: probe.who, earliest: 1h}"
        ) { box in
            // The script counts acknowledged requests outside the full file system.
            let script = """
                mkdir "$STATE"; mount -t tmpfs -o size=600k none "$STATE"
                $BGRUN run --stay $OPTIONS & host=$!
                for number in $(seq 400); do
                    $BGRUN submit org.test.a.$number $OPTIONS >/dev/null 2>&1 \\
                        && echo "acknowledged $number"
                    kill -0 $host 2>/dev/null || break
                    head -c 20k /dev/zero >> "$STATE/filler" 2>/dev/null
                done
                wait $host; echo "ended $?"
                rm -f "$STATE/filler"
                $BGRUN pending --limit 1000 $OPTIONS
                """
            let run = try await box.startProgram(
                "/usr/bin/unshare", ["--mount", "/bin/sh", "-c", script],
                [
                    "BGRUN": Built.bgrun, "STATE": box.state,
                    "OPTIONS": "--manifest \(box.manifest) --state \(box.state)",
                ]
            ).end()
            let lines = run.output.split(separator: "\n").map(String.init)
            #expect(lines.contains("ended 74"), "\(run.output) \(run.error)")
            let acknowledged = lines.filter { $0.hasPrefix("acknowledged ") }
                .map { $0.dropFirst("acknowledged ".count) }
            #expect(!acknowledged.isEmpty)
            for number in acknowledged {
                let name = "org.test.a.\(number) "
                #expect(lines.contains { $0.contains(name) }, "\(number) \(run.error)")
            }
        }
    }

    private static let quiet = ["SWIFT_BACKTRACE": "enable=no"]

    /// A store with an attempt, its output and a pending request, and without a write-ahead log.
    private func withStore(_ body: (Sandbox) async throws -> Void) async throws {
        try await Sandbox.withProbe(
            """
            org.test.a: {kind: processing, handler: probe.who}
            org.test.b: {kind: processing, submit: manual, earliest: 1d, handler: probe.who}
            """
        ) { box in
            #expect(try await box.run("submit", "org.test.b").code == 0)
            #expect(try await box.run("run", "--once").code == 0)
            let path = box.state + "/org.test.app/bgrun.sqlite"
            _ = try Self.rows(path, "PRAGMA wal_checkpoint(TRUNCATE)")
            _ = try Self.rows(path, "PRAGMA journal_mode = DELETE")
            try await body(box)
        }
    }

    /// A store with rows in every table, all of which the next host reads: an interrupted attempt with a
    /// checkpoint, a message for its task, a hook that is due, and the state of hooks and plugins.
    private func withEveryTable(_ body: (Sandbox) async throws -> Void) async throws {
        try await Sandbox.withProbe(
            """
            org.test.a: {kind: processing, handler: probe.who}
            org.test.b: {kind: processing, submit: manual, earliest: 1d, handler: probe.who}
            org.test.c: {kind: processing, submit: manual, handler: probe.checkpoint, expiration: {after: 1s}}
            org.test.p: {kind: push, handler: probe.push}
            """,
            rest: """
                policy: {profile: server}
                hooks:
                  - on: [completed, failed, recovered, starved]
                    every: 1h
                    run: 'true'
                """
        ) { box in
            #expect(try await box.run("submit", "org.test.b").code == 0)
            #expect(try await box.run("run", "--once").code == 0)
            let path = box.state + "/org.test.app/bgrun.sqlite"
            _ = try Self.rows(path, "PRAGMA wal_checkpoint(TRUNCATE)")
            _ = try Self.rows(path, "PRAGMA journal_mode = DELETE")
            let now = "(SELECT max(ended) FROM history)"
            let key =
                "(SELECT substr(name, 12, instr(substr(name, 12), ':') - 1) FROM fact "
                + "WHERE name LIKE 'hook:fired:%')"
            for sql in [
                """
                INSERT INTO running (attempt, declaration, launched, launched_elapsed, deadline_elapsed,
                    request, identifier, kind, submitted, earliest, parameters, failures, interruptions,
                    worker, worker_started, worker_boot, completed, total, title, subtitle, expiring,
                    expiring_at, waiting_since, occurrence)
                SELECT 90, 'org.test.c', \(now), 1, 2, 90, 'org.test.c', 'processing', \(now), \(now),
                    '{}', 1, 1, 4194304, 1, 'boot', 1, 2, 'title', 'subtitle', 'time', \(now), \(now),
                    \(now)
                """,
                "INSERT INTO checkpoint VALUES ('org.test.c', 7, X'68616C66')",
                """
                INSERT INTO request (identifier, id, kind, submitted, failures, interruptions)
                SELECT 'org.test.p', 91, 'push', \(now), 0, 0
                """,
                """
                INSERT INTO push SELECT 1, 'org.test.p', '{"aps":{"content-available":1}}', 'one', 5,
                    \(now), \(now) + 86400000, 91
                """,
                """
                INSERT INTO firing SELECT 1, \(key), '{"event":"completed","app":"org.test.app",'
                    || '"identifier":"org.test.a","at":1,"failures":0,"manifest":"/m"}'
                """,
                "INSERT INTO fact SELECT 'hook:failures:org.test.c', 1",
                "INSERT INTO fact SELECT 'hook:starved:' || \(key) || ':org.test.b', \(now)",
                "INSERT INTO fact SELECT 'hook:recovered:' || \(key) || ':org.test.a', \(now)",
                "INSERT OR IGNORE INTO fact VALUES ('visit:probe', 1), ('next-push', 2),"
                    + "('launch:org.test.a', 1), ('app:budget-at', 1), ('app:budget-spent', 1),"
                    + "('app:last-foreground', 1), ('app:push:0', 1), ('app:use:3', 1),"
                    + "('app:missed:org.test.a', 1), ('app:spaced:org.test.a', 1)",
            ] {
                _ = try Self.rows(path, sql)
            }
            let hooks = try Self.rows(path, "SELECT name FROM fact WHERE name LIKE 'hook:%:%:%'")
            #expect(hooks.count == 3, "\(hooks)")
            try await body(box)
        }
    }

    private static func expectNoSignal(
        _ box: Sandbox, _ what: String, _ commands: [[String]] = readers
    ) async throws {
        var runs: [(String, Running)] = []
        for reader in commands {
            let arguments = reader + ["--manifest", box.manifest, "--state", box.state]
            // Stack traces of all crashes would take as long as the rest of the test.
            runs.append((reader[0], try box.start(arguments, false, quiet)))
        }
        for (name, run) in runs {
            let end = await run.end()
            #expect(end.code < 128, "\(what): \(name) ended with \(end.code): \(end.error)")
        }
        let end = try await box.run(
            ["run", "--once", "--manifest", box.manifest, "--state", box.state], quiet)
        #expect(end.code < 128, "\(what): run ended with \(end.code): \(end.error)")
        for suffix in ["-wal", "-shm", "-journal"] {
            unlink(box.state + "/org.test.app/bgrun.sqlite" + suffix)
        }
    }

    /// The first column of each row of the result.
    static func rows(_ path: String, _ sql: String) throws -> [String] {
        var database: OpaquePointer?
        defer { sqlite3_close(database) }
        try #require(sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK)
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        try #require(sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK)
        var rows: [String] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            rows.append(sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? "")
        }
        return rows
    }
}
