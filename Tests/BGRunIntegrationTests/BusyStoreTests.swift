// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Foundation
import Testing

@Suite("A store that another program writes to", .timeLimit(.minutes(4)))
struct BusyStoreTests {
    private static let tasks = """
        org.test.job:
          kind: processing
          submit: manual
          call: {library: libc.so.6, function: sync}
        """

    @Test("is the reason that `explain` gives for a task that does not run")
    func explained() async throws {
        try await Sandbox.with { box in
            try box.write(tasks: Self.tasks)
            let host = try box.start("run", "--stay")
            _ = try await host.line("Background refresh is")
            var writer: OpaquePointer?
            #expect(sqlite3_open(box.state + "/org.test.app/bgrun.sqlite", &writer) == SQLITE_OK)
            defer { sqlite3_close(writer) }
            #expect(sqlite3_exec(writer, "BEGIN IMMEDIATE", nil, nil, nil) == SQLITE_OK)
            let submission = try box.start("submit", "org.test.job")
            _ = try await host.line("Waiting for another program that is writing to")

            let explanation = try await box.run("explain", "org.test.job").output
            #expect(explanation.contains("another program writes to it"), "\(explanation)")

            #expect(sqlite3_exec(writer, "ROLLBACK", nil, nil, nil) == SQLITE_OK)
            #expect(await submission.end().status == 0)
            _ = try await host.line("Task completed with identifier org.test.job")
            let after = try await box.run("explain", "org.test.job").output
            #expect(!after.contains("another program writes"), "\(after)")
        }
    }

    @Test("is told by doctor, pending, top and the dashboard, and by a submission that it holds up")
    func told() async throws {
        try await Sandbox.with { box in
            try box.write(rest: "policy: {store_wait: 1h}", tasks: Self.tasks)
            let host = try box.start("run", "--stay")
            _ = try await host.line("Background refresh is")
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
            let store = box.state + "/org.test.app/bgrun.sqlite"
            var writer: OpaquePointer?
            #expect(sqlite3_open(store, &writer) == SQLITE_OK)
            defer { sqlite3_close(writer) }
            #expect(sqlite3_exec(writer, "BEGIN IMMEDIATE", nil, nil, nil) == SQLITE_OK)
            let submission = try box.start("submit", "org.test.job")
            _ = try await host.line("Waiting for another program that is writing to")

            let notice = "the host has waited for its store since "
            let pending = try await box.run("pending").output
            #expect(pending.contains(notice), "\(pending)")
            let json = try await box.run("pending", "--json").output
            #expect(json.contains("\"waitsForStoreSince\" : "), "\(json)")
            let top = try await box.run("top").output
            #expect(top.contains("! " + notice), "\(top)")
            let doctor = try await box.run("doctor", "--symptom", "no-launch").output
            #expect(doctor.contains("warn  host          " + notice), "\(doctor)")
            #expect(doctor.contains("next: fuser -v \(store)"), "\(doctor)")
            let health = try await site.get("/healthz")
            #expect(health.status == 503)
            #expect(health.body.contains("\"why\" : \"" + notice), "\(health.body)")
            #expect(try await site.get("/").body.contains(notice))
            let change = try await site.post(
                "/apps/org.test.app/tasks/org.test.job/submit",
                ["Authorization": "Bearer \(token)"])
            #expect(change.status == 503 && change.body.hasPrefix(notice), "\(change.body)")

            let refused = await submission.end()
            #expect(refused.code == 69)
            #expect(refused.error.contains("bgrun: " + notice), "\(refused.error)")
            #expect(refused.error.contains("may still accept it"), "\(refused.error)")

            #expect(sqlite3_exec(writer, "ROLLBACK", nil, nil, nil) == SQLITE_OK)
            _ = try await host.line("Task completed with identifier org.test.job")
            #expect(try await !box.run("pending").output.contains(notice))
            #expect(try await site.get("/healthz").status == 200)
        }
    }

    @Test(
        "lets an attempt end whose worker has died meanwhile, with the reason, and then the host",
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
            let host = try box.start("run", "--stay")
            _ = try await host.line("Background refresh is")
            var writer: OpaquePointer?
            #expect(sqlite3_open(box.state + "/org.test.app/bgrun.sqlite", &writer) == SQLITE_OK)
            defer { sqlite3_close(writer) }
            #expect(sqlite3_exec(writer, "BEGIN IMMEDIATE", nil, nil, nil) == SQLITE_OK)
            let submission = try box.start("submit", "org.test.bad")
            // The worker was started before that, and the host reaps it while it waits.
            _ = try await host.line("Waiting for another program that is writing to")
            let children = "/proc/\(host.pid)/task/\(host.pid)/children"
            #expect(
                await eventually { (try? String(contentsOfFile: children, encoding: .utf8)) == "" })
            #expect(sqlite3_exec(writer, "ROLLBACK", nil, nil, nil) == SQLITE_OK)
            #expect(await submission.end().status == 0)

            try await host.line("Task ended with identifier org.test.bad")
            let attempt = try await box.attempt("org.test.bad")
            #expect(attempt.outcome == outcome)
            #expect(attempt.message?.contains(reason) == true, "\(attempt)")
            host.signal(SIGTERM)
            // An attempt did not complete.
            #expect(await host.end().code == 1)
        }
    }

    @Test("delays a launch, and the handler is told the time that it has from its launch on")
    func deadline() async throws {
        let plugin = try await Built.probe.value
        try await Sandbox.with { box in
            try box.write(
                plugins: ["probe": plugin],
                tasks: """
                    org.test.job:
                      kind: processing
                      submit: manual
                      handler: probe.wait
                      expiration: {after: 10m}
                    """)
            let host = try box.start("run", "--stay")
            _ = try await host.line("Background refresh is")
            var writer: OpaquePointer?
            #expect(sqlite3_open(box.state + "/org.test.app/bgrun.sqlite", &writer) == SQLITE_OK)
            defer { sqlite3_close(writer) }
            #expect(sqlite3_exec(writer, "BEGIN IMMEDIATE", nil, nil, nil) == SQLITE_OK)
            let submission = try box.start("submit", "org.test.job")
            _ = try await host.line("Waiting for another program that is writing to")
            #expect(sqlite3_exec(writer, "ROLLBACK", nil, nil, nil) == SQLITE_OK)
            #expect(await submission.end().status == 0)
            let told = try await host.line("waiting in").split(separator: " ").last.flatMap {
                Int64($0)
            }

            var query: OpaquePointer?
            #expect(
                sqlite3_prepare_v2(
                    writer, "SELECT deadline_elapsed, launched_elapsed FROM running", -1, &query,
                    nil)
                    == SQLITE_OK)
            defer { sqlite3_finalize(query) }
            #expect(sqlite3_step(query) == SQLITE_ROW)
            let stored = sqlite3_column_int64(query, 0)
            #expect(stored == told && stored - sqlite3_column_int64(query, 1) == 600_000_000_000)
        }
    }
}
