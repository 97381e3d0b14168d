// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Testing

@Suite("A store that another program writes to", .timeLimit(.minutes(4)))
struct BusyStoreTests {
    @Test("is the reason that `explain` gives for a task that does not run")
    func explained() async throws {
        try await Sandbox.with { box in
            try box.write(
                tasks: """
                    org.test.job:
                      kind: processing
                      submit: manual
                      call: {library: libc.so.6, function: sync}
                    """)
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
