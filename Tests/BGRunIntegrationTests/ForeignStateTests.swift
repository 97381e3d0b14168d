// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

@Suite(
    "The state of another user's app, read by root", .timeLimit(.minutes(5)),
    .enabled(if: Users.canBeChanged, "needs root, and a build that other users can run"))
struct ForeignStateTests {
    /// `org.test.one` of another user and `org.test.two` of root have each run once; no host runs.
    private func withApps(_ body: (Sandbox) async throws -> Void) async throws {
        try await Sandbox.with { box in
            try box.writeApp("one", "true", rest: "user: nobody")
            try box.writeApp("two", "true")
            let daemon = try await box.daemon()
            try await daemon.line("Task completed with identifier org.test.two.run")
            #expect(await daemon.stop().code == 0)
            try await body(box)
        }
    }

    private func withDashboard(
        _ box: Sandbox, _ body: (Site) async throws -> Void
    ) async throws {
        let server = try box.start(
            ["dashboard", "--state", box.state, "--listen", "127.0.0.1:0"])
        let line = try await server.line("the dashboard is at http://127.0.0.1:")
        let port = try #require(UInt16(line.split(separator: ":").last?.dropLast() ?? ""))
        try await body(Site(port: port))
        #expect(await server.stop().code == 0)
    }

    private func files(_ box: Sandbox) throws -> [String] {
        let directory = box.state + "/org.test.one"
        return try FileManager.default.contentsOfDirectory(atPath: directory)
            .map { "\(directory)/\($0)" }
    }

    private func expectOwned(_ box: Sandbox, after what: String) throws {
        for path in try files(box) {
            var status = stat()
            try #require(lstat(path, &status) == 0)
            #expect(status.st_uid == Users.nobody, "\(path) after \(what)")
        }
    }

    private static func launches(_ app: String) -> String {
        "bgrun_launches_total{app=\"org.test.\(app)\",task=\"org.test.\(app).run\"} 1\n"
    }

    private static let readers = [
        ["history"], ["report"], ["logs"], ["pending"], ["top", "--json"],
    ]

    @Test("is read by commands and pages without leaving a file of root in it")
    func read() async throws {
        try await withApps { box in
            let options = ["--app", "org.test.one", "--state", box.state]
            for command in Self.readers {
                let run = try await box.start(command + options).end()
                #expect(run.code == 0, "\(command): \(run.error)")
                try expectOwned(box, after: command[0])
            }
            let history = try await box.start(["history"] + options).end()
            #expect(history.output.contains("org.test.one.run"))
            let metrics = try await box.start(["metrics", "--state", box.state]).end()
            #expect(metrics.output.contains(Self.launches("one")), "\(metrics.output)")
            // The counters are stored in the directory of the store.
            #expect(try files(box).contains { $0.hasSuffix("/metrics.json") })
            try expectOwned(box, after: "metrics")
            try await withDashboard(box) { site in
                let page = try await site.get("/apps/org.test.one/attempts/1")
                #expect(page.status == 200 && page.body.contains("completed"))
                #expect(try await site.get("/metrics").body.contains(Self.launches("one")))
                try expectOwned(box, after: "the dashboard")
            }
        }
    }

    @Test("gives root no file that its owner may not read", arguments: [false, true])
    func unreadable(isLinked: Bool) async throws {
        try await withApps { box in
            for (number, path) in try files(box).enumerated() {
                chown(path, 0, 0)
                chmod(path, 0o600)
                guard isLinked else { continue }
                let secret = "\(box.directory)/secret\(number)"
                try #require(rename(path, secret) == 0 && symlink(secret, path) == 0)
                lchown(path, Users.nobody, Users.nobody)
            }
            let options = ["--app", "org.test.one", "--state", box.state]
            for command in [["history"], ["report"], ["pending"]] {
                let run = try await box.start(command + options).end()
                #expect(run.code != 0, "\(command): \(run.output)")
                #expect(!run.output.contains("org.test.one.run"), "\(command): \(run.output)")
            }
            let metrics = try await box.start(["metrics", "--state", box.state]).end()
            #expect(!metrics.output.contains("org.test.one.run"), "\(metrics.output)")
            let top = try await box.start(["top", "--json", "--state", box.state]).end()
            #expect(!top.output.contains("org.test.one.run"), "\(top.output)")
            try await withDashboard(box) { site in
                for path in ["/", "/metrics", "/apps/org.test.one", "/api/apps/org.test.one"] {
                    let answer = try await site.get(path)
                    #expect(!answer.body.contains("org.test.one.run"), "\(path): \(answer.body)")
                }
                let attempt = try await site.get("/apps/org.test.one/attempts/1")
                #expect(attempt.status != 200, "\(attempt.body)")
            }
        }
    }

    /// The number of reports in `text` that the store of `org.test.one` is damaged.
    private static func complaints(_ text: String) -> Int {
        text.components(separatedBy: "/org.test.one/bgrun.sqlite is damaged (").count - 1
    }

    private struct Overview: Decodable {
        struct Ended: Decodable { var identifier: String }
        var app: String
        var notices: [String]
        var recent: [Ended]
    }

    private static let endless =
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x"
    /// The user's changes of the schema; without any statement, the user overwrites the file.
    private static let attacks: [[String]] = [
        [],
        ["DROP TABLE history", "CREATE VIEW history AS \(endless) AS attempt FROM c"],
        [
            "CREATE TRIGGER endless AFTER INSERT ON output BEGIN "
                + "DELETE FROM event WHERE id IN (\(endless) FROM c); END"
        ],
    ]

    @Test(
        "is named once if it is damaged, and other apps are read as before", arguments: attacks)
    func damaged(_ attack: [String]) async throws {
        try await withApps { box in
            let path = box.state + "/org.test.one/bgrun.sqlite"
            if attack.isEmpty {
                let store = try #require(FileHandle(forWritingAtPath: path))
                try store.write(contentsOf: Data(repeating: 0x78, count: 65_536))
                try store.close()
            } else {
                for sql in attack { _ = try HostileStoreTests.rows(path, sql) }
                let changed = try HostileStoreTests.rows(
                    path, "SELECT 1 FROM sqlite_schema WHERE sql LIKE '%RECURSIVE%'")
                try #require(changed == ["1"])
            }
            let metrics = try await box.start(["metrics", "--state", box.state]).end()
            #expect(metrics.code == 74, "\(metrics.error)")
            #expect(metrics.error.hasPrefix("bgrun: org.test.one: "), "\(metrics.error)")
            #expect(metrics.output.contains(Self.launches("two")), "\(metrics.output)")
            let options = ["--app", "org.test.one", "--state", box.state]
            let report = try await box.start(["report"] + options).end()
            let history = try await box.start(["history"] + options).end()
            for run in [metrics, report, history] {
                #expect(Self.complaints(run.error) == 1, "\(run.error)")
                #expect(run.error.split(separator: "\n").count == 1, "\(run.error)")
            }
            for run in [report, history] {
                #expect(run.code == 74 && run.output.isEmpty, "\(run.output)")
            }
            let top = try await box.start(["top", "--json", "--state", box.state]).end()
            #expect(top.code == 0 && top.error.isEmpty, "\(top.error)")
            let apps = try JSONDecoder().decode([Overview].self, from: Data(top.output.utf8))
            #expect(apps.map(\.app) == ["org.test.one", "org.test.two"])
            #expect(apps.first?.notices.map(Self.complaints) == [1], "\(top.output)")
            #expect(apps.last?.notices.isEmpty == true, "\(top.output)")
            #expect(apps.last?.recent.map(\.identifier) == ["org.test.two.run"])
            try await withDashboard(box) { site in
                let overview = try await site.get("/")
                #expect(overview.status == 200)
                #expect(Self.complaints(overview.body) == 1, "\(overview.body)")
                #expect(overview.body.contains("org.test.two.run"))
                let page = try await site.get("/apps/org.test.two/attempts/1")
                #expect(page.status == 200 && page.body.contains("completed"))
                #expect(try await site.get("/metrics").body.contains(Self.launches("two")))
            }
        }
    }

    // MARK: numbers at the limits of 64 bits

    /// The statement that adds a row to each table; then its columns are set to the limits in copies.
    private static let rowsWithNumbers = [
        "history": "SELECT 1",
        "event": "SELECT 1",
        "output": "INSERT INTO output VALUES (1, 1, 'stdout', 1, 'text')",
        "request": """
        INSERT INTO request (identifier, id, kind, submitted, failures, interruptions)
            VALUES ('org.test.one.x', 90, 'processing', 1, 0, 0)
        """,
        "running": """
        INSERT INTO running (attempt, declaration, launched, launched_elapsed, deadline_elapsed, request,
            identifier, kind, submitted, failures, interruptions, worker, worker_started, worker_boot)
            VALUES (90, 'org.test.one.run', 1, 1, 2, 91, 'org.test.one.run', 'processing', 1, 0, 0,
                4194304, 1, 'boot')
        """,
        "fact": "SELECT 1",
    ]

    /// Adds a copy of the first row of `table` for each of its integer columns and both limits, with the limit in
    /// the column. Returns the number of copies.
    private static func addLimits(to table: String, of path: String) throws -> Int {
        func rows(_ sql: String) throws -> [String] { try HostileStoreTests.rows(path, sql) }
        // The triggers would count the inserted rows; a user could drop them as well.
        let triggers = try rows("SELECT sql FROM sqlite_schema WHERE type = 'trigger'")
        for name in try rows("SELECT name FROM sqlite_schema WHERE type = 'trigger'") {
            _ = try rows("DROP TRIGGER \(name)")
        }
        defer { for trigger in triggers { _ = try? rows(trigger) } }
        _ = try rows(try #require(rowsWithNumbers[table]))
        let info = "FROM pragma_table_info('\(table)')"
        let columns = try rows("SELECT name \(info)")
        let integers = try rows("SELECT name \(info) WHERE type = 'INTEGER'")
        let key = try #require(try rows("SELECT name \(info) ORDER BY pk DESC LIMIT 1").first)
        let before = try rows("SELECT count(*) FROM \(table)")
        var copies = 0
        for column in integers {
            for limit in [Int64.min, .max] {
                copies += 1
                let values = columns.map { name in
                    switch name {
                    case column: "\(limit)"
                    case key where integers.contains(key): "\(1_000 + copies)"
                    case key: "\(key) || '.x\(copies)'"
                    default: name
                    }
                }
                _ = try rows(
                    """
                    INSERT INTO \(table) (\(columns.joined(separator: ", ")))
                    SELECT \(values.joined(separator: ", ")) FROM \(table) ORDER BY \(key) LIMIT 1
                    """)
            }
        }
        if table == "fact" {
            // The facts that commands read.
            for (name, limit) in [
                ("pending:processing", Int64.max), ("pending:push", .max), ("next-request", .min),
                ("launch:org.test.one.run", .max), ("app:budget-spent", .max),
                ("app:budget-at", .min), ("app:last-foreground", .min),
            ] as [(String, Int64)] {
                _ = try rows("INSERT OR REPLACE INTO fact VALUES ('\(name)', \(limit))")
            }
        } else {
            let after = try rows("SELECT count(*) FROM \(table)")
            let (first, last) = (Int(before.first ?? ""), Int(after.first ?? ""))
            #expect(first.map { $0 + copies } == last)
        }
        return copies
    }

    @Test(
        "ends no command of root with any number in any column, and is named in one line",
        arguments: rowsWithNumbers.keys.sorted())
    func numbers(_ table: String) async throws {
        try await withApps { box in
            let path = box.state + "/org.test.one/bgrun.sqlite"
            #expect(try Self.addLimits(to: table, of: path) > 0)
            let metrics = try await box.start(["metrics", "--state", box.state]).end()
            #expect(metrics.code == 0, "\(metrics.code): \(metrics.error)")
            #expect(metrics.output.contains(Self.launches("two")), "\(metrics.output)")
            let top = try await box.start(["top", "--json", "--state", box.state]).end()
            #expect(top.code == 0, "\(top.code): \(top.error)")
            let apps = try JSONDecoder().decode([Overview].self, from: Data(top.output.utf8))
            #expect(apps.map(\.app) == ["org.test.one", "org.test.two"])
            #expect(apps.last?.recent.map(\.identifier) == ["org.test.two.run"])
            // Neither command reads events or output.
            let expected = ["event", "output"].contains(table) ? 0 : 1
            for run in [metrics, top] {
                let lines = run.error.split(separator: "\n")
                #expect(lines.count == expected, "\(run.error)")
                #expect(
                    lines.allSatisfy {
                        $0.contains("/org.test.one/bgrun.sqlite: the row of ")
                            && $0.contains(" is damaged (")
                    }, "\(run.error)")
            }
            let options = ["--app", "org.test.one", "--state", box.state]
            for command in Self.readers {
                let run = try await box.start(command + options).end()
                #expect(run.code < 128, "\(command) ended with \(run.code): \(run.error)")
            }
            try await withDashboard(box) { site in
                for page in [
                    "/apps/org.test.one", "/apps/org.test.one/attempts/1",
                    "/api/apps/org.test.one/history",
                ] {
                    #expect(try await site.get(page).status == 200, "\(page)")
                }
                let overview = try await site.get("/")
                #expect(overview.status == 200 && overview.body.contains("org.test.two.run"))
                #expect(try await site.get("/metrics").body.contains(Self.launches("two")))
            }
        }
    }
}
