// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Foundation
import Testing

@Suite("A store that another program writes to", .timeLimit(.minutes(5)))
struct BusyStoreTests {
    private static let tasks = """
        org.test.job:
          kind: processing
          submit: manual
          call: {library: libc.so.6, function: sync}
        """

    /// Another program that writes to the store of `box`, and a submission that waits for it.
    private final class Writer {
        private let database: OpaquePointer?
        let submission: Running

        init(_ box: Sandbox, _ host: Running, submitting identifier: String) async throws {
            var database: OpaquePointer?
            #expect(
                sqlite3_open(box.state + "/org.test.app/bgrun.sqlite", &database) == SQLITE_OK)
            self.database = database
            #expect(sqlite3_exec(database, "BEGIN IMMEDIATE", nil, nil, nil) == SQLITE_OK)
            submission = try box.start("submit", identifier)
            _ = try await host.line("Waiting for another program that is writing to")
        }

        deinit { sqlite3_close(database) }

        func letGo() { #expect(sqlite3_exec(database, "ROLLBACK", nil, nil, nil) == SQLITE_OK) }

        /// The first two columns of a row.
        func numbers(_ query: String) -> (Int64, Int64) {
            var statement: OpaquePointer?
            #expect(sqlite3_prepare_v2(database, query, -1, &statement, nil) == SQLITE_OK)
            defer { sqlite3_finalize(statement) }
            #expect(sqlite3_step(statement) == SQLITE_ROW)
            return (sqlite3_column_int64(statement, 0), sqlite3_column_int64(statement, 1))
        }
    }

    @Test("is the reason that `explain` gives for a task that does not run")
    func explained() async throws {
        try await Sandbox.with { box in
            try box.write(tasks: Self.tasks)
            let host = try await box.host("--stay")
            let writer = try await Writer(box, host, submitting: "org.test.job")

            let explanation = try await box.run("explain", "org.test.job").output
            #expect(explanation.contains("another program writes to it"), "\(explanation)")

            writer.letGo()
            #expect(await writer.submission.end().status == 0)
            _ = try await host.line("Task completed with identifier org.test.job")
            let after = try await box.run("explain", "org.test.job").output
            #expect(!after.contains("another program writes"), "\(after)")
        }
    }

    @Test("is reported by doctor, pending, top, the dashboard and a delayed submission")
    func told() async throws {
        try await Sandbox.with { box in
            try box.write(rest: "policy: {store_wait: 1h}", tasks: Self.tasks)
            let host = try await box.host("--stay")
            let token = "a-token-of-enough-characters"
            #expect(
                FileManager.default.createFile(
                    atPath: box.directory + "/token", contents: Data(token.utf8),
                    attributes: [.posixPermissions: 0o600]))
            let server = try box.start(
                "dashboard", "--listen", "127.0.0.1:0", "--token-file", box.directory + "/token")
            let line = try await server.line("the dashboard is at http://127.0.0.1:")
            let site = Site(
                port: try #require(UInt16(line.split(separator: ":").last?.dropLast() ?? "")))
            #expect(try await site.get("/healthz").status == 200)
            let writer = try await Writer(box, host, submitting: "org.test.job")

            let notice = "the host has waited for its store since "
            let pending = try await box.run("pending").output
            #expect(pending.contains(notice), "\(pending)")
            let json = try await box.run("pending", "--json").output
            #expect(json.contains("\"waitsForStoreSince\" : "), "\(json)")
            let top = try await box.run("top").output
            #expect(top.contains("! " + notice), "\(top)")
            let doctor = try await box.run("doctor", "--symptom", "no-launch").output
            #expect(doctor.contains("warn  host          " + notice), "\(doctor)")
            let store = box.state + "/org.test.app/bgrun.sqlite"
            #expect(doctor.contains("next: fuser -v \(store)"), "\(doctor)")
            let health = try await site.get("/healthz")
            #expect(health.status == 503)
            #expect(health.body.contains("\"why\" : \"" + notice), "\(health.body)")
            #expect(try await site.get("/").body.contains(notice))
            let change = try await site.post(
                "/apps/org.test.app/tasks/org.test.job/submit",
                ["Authorization": "Bearer \(token)"])
            #expect(change.status == 503 && change.body.hasPrefix(notice), "\(change.body)")

            let refused = await writer.submission.end()
            #expect(refused.code == 69)
            #expect(refused.error.contains("bgrun: " + notice), "\(refused.error)")
            #expect(refused.error.contains("may still accept it"), "\(refused.error)")

            writer.letGo()
            _ = try await host.line("Task completed with identifier org.test.job")
            #expect(try await !box.run("pending").output.contains(notice))
            #expect(try await site.get("/healthz").status == 200)
        }
    }

    @Test(
        "ends an attempt whose worker has died with the reason, and then the host",
        arguments: [
            ("init-fails", "refused", "its init failed with -6"),
            ("constructor-crashes", "crashed", "while the plugin was loaded"),
        ])
    func deadWorker(_ plugin: String, _ outcome: String, _ reason: String) async throws {
        try await Sandbox.with { box in
            try box.write(
                plugins: ["bad": try Built.misbehaving(plugin)],
                rest: "policy: {profile: server, store_wait: 1h}",
                tasks: "org.test.bad: {kind: processing, submit: manual, handler: bad.work}")
            let host = try await box.host("--stay")
            let writer = try await Writer(box, host, submitting: "org.test.bad")
            // The worker was started before the store was busy; the host reaps it while it waits.
            let children = "/proc/\(host.pid)/task/\(host.pid)/children"
            #expect(
                await eventually { (try? String(contentsOfFile: children, encoding: .utf8)) == "" })
            writer.letGo()
            #expect(await writer.submission.end().status == 0)

            try await host.line("Task ended with identifier org.test.bad")
            let attempt = try await box.attempt("org.test.bad")
            #expect(attempt.outcome == outcome)
            #expect(attempt.message?.contains(reason) == true, "\(attempt)")
            // One attempt did not complete.
            #expect(await host.stop().code == 1)
        }
    }

    @Test("delays a launch, and the handler learns the deadline after the delay")
    func deadline() async throws {
        try await Sandbox.withProbe(
            """
            org.test.job:
              kind: processing
              submit: manual
              handler: probe.wait
              expiration: {after: 10m}
            """, rest: ""
        ) { box in
            let host = try await box.host("--stay")
            let writer = try await Writer(box, host, submitting: "org.test.job")
            writer.letGo()
            #expect(await writer.submission.end().status == 0)
            let told = try await host.line("waiting in").split(separator: " ").last.flatMap {
                Int64($0)
            }

            let (stored, launched) = writer.numbers(
                "SELECT deadline_elapsed, launched_elapsed FROM running")
            #expect(stored == told && stored - launched == 600_000_000_000)
        }
    }
}
