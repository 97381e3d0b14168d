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
}
