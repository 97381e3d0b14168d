// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Glibc
import Testing

@Suite("A hostile handler", .timeLimit(.minutes(5)))
struct HostileTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var handler: String
        /// One of these: the host may end a worker that lies, or tolerate it.
        var outcomes: Set<String>
        var message = ""
        /// The action of the plugin's constructor in the worker.
        var constructor = ""
        var testDescription: String { constructor.isEmpty ? handler : "constructor \(constructor)" }
    }

    private static let calls: [Case] = [
        Case(handler: "jumps", outcomes: ["crashed"]),
        Case(handler: "overflows_stack", outcomes: ["crashed"]),
        Case(handler: "unloads_itself", outcomes: ["crashed"]),
        Case(handler: "hides", outcomes: ["completed"], message: "hidden"),
        Case(handler: "hops", outcomes: ["completed"], message: "hopping"),
        Case(handler: "multiplies", outcomes: ["expired"]),
        Case(handler: "multiplies_afterwards", outcomes: ["completed"], message: "multiplying"),
        Case(handler: "shuts_channel", outcomes: ["failed"], message: "closed its channel"),
        Case(handler: "leaves_channel_to_child", outcomes: ["exited"]),
        Case(handler: "completes_often", outcomes: ["completed"], message: "first"),
        Case(handler: "completes_others", outcomes: ["completed"], message: "all refused"),
        Case(handler: "submits_extremes", outcomes: ["completed"], message: "submitted"),
        Case(handler: "submits_endlessly", outcomes: ["expired"]),
        Case(handler: "checkpoints_endlessly", outcomes: ["expired"]),
        Case(handler: "progresses_far", outcomes: ["expired"]),
        Case(handler: "opens_everything", outcomes: ["completed"], message: "no descriptor left"),
        // Without descriptors a worker cannot wait for its host.
        Case(handler: "limits_itself", outcomes: ["completed", "failed"]),
        Case(
            handler: "needs_threads", outcomes: ["expired"], message: "has no expire callback"),
        Case(handler: "traces_host", outcomes: ["completed"], message: "let it go"),
        Case(handler: "does_nothing", outcomes: ["expired"], constructor: "hangs"),
        Case(handler: "does_nothing", outcomes: ["expired"], constructor: "stops"),
        Case(handler: "does_nothing", outcomes: ["completed"], constructor: "outlives"),
        Case(handler: "does_nothing", outcomes: ["completed"], constructor: "floods"),
        Case(handler: "does_nothing", outcomes: ["failed"], constructor: "frame"),
        Case(handler: "does_nothing", outcomes: ["exited"], constructor: "short"),
        Case(handler: "does_nothing", outcomes: ["completed"], constructor: "forks"),
        Case(handler: "does_nothing", outcomes: ["completed"], constructor: "forks-twice"),
    ]

    private static let frames: [Case] = [
        Case(handler: "enters_at_the_end_of_time", outcomes: ["completed", "failed"]),
        Case(handler: "enters_before_time", outcomes: ["completed", "failed"]),
        Case(handler: "goes_backwards", outcomes: ["completed", "failed"]),
        Case(handler: "asserts_endlessly", outcomes: ["failed", "expired"]),
        Case(handler: "logs_long_lines", outcomes: ["completed", "failed"]),
        Case(handler: "reports_at_length", outcomes: ["completed", "failed"]),
        Case(handler: "has_long_titles", outcomes: ["completed", "failed"]),
        Case(handler: "submits_deep_parameters", outcomes: ["completed", "failed"]),
        Case(handler: "says_it_is_idle", outcomes: ["completed", "failed"]),
        Case(handler: "reports_twice", outcomes: ["completed"], message: "1"),
        Case(handler: "speaks_for_others", outcomes: ["completed"], message: "spoke for others"),
        // The child has the channel of its attempt: its report may arrive before the death of the worker is noticed.
        Case(handler: "child_reports", outcomes: ["exited", "failed", "completed"]),
        Case(handler: "is_short", outcomes: ["exited"]),
        Case(handler: "babbles", outcomes: ["failed"], message: "wrote to its channel"),
    ]

    @Test(
        "has the outcome of its end, leaves no process, and another app's attempt completes",
        arguments: calls)
    func call(_ expected: Case) async throws {
        let plugin = try await Built.hostile.value
        try await expect(expected, of: plugin)
    }

    @Test(
        "with invalid frames loses only its attempt, and uses bounded memory", arguments: frames
    )
    func frame(_ expected: Case) async throws {
        let plugin = try await Built.hostileFrames.value
        try await expect(expected, of: plugin)
    }

    @Test("leaves a file and shared memory, which stay, and another app's attempt completes")
    func leavesFiles() async throws {
        let plugin = try await Built.hostile.value
        let expected = Case(handler: "leaves_files", outcomes: ["completed"], message: "left")
        try await expect(expected, of: plugin) { box in
            let name = try #require(box.directory.split(separator: "/").last)
            for path in ["/dev/shm/\(name)", "\(box.directory)/left-behind"] {
                #expect(unlink(path) == 0, "\(path) is gone")
            }
        }
    }

    /// - Parameter check: Further expectations after all processes have ended.
    private func expect(
        _ expected: Case, of plugin: String, check: (Sandbox) throws -> Void = { _ in }
    ) async throws {
        try await Sandbox.with { box in
            try Self.write(box, plugin, expected)
            // A limit of the host's memory.
            let run = try await box.startShell(
                "ulimit -d 300000; SWIFT_BACKTRACE=enable=no exec $BGRUN run --once $OPTIONS"
            )
            .end()
            #expect(run.code == 0 || run.code == 1, "\(run.error)")
            await box.expectNothingLeft()
            try check(box)
            let bad = try await box.attempt("org.test.bad")
            #expect(expected.outcomes.contains(bad.outcome), "\(bad) \(run.error.suffix(2_000))")
            #expect(
                (bad.message ?? "").contains(expected.message) || expected.message.isEmpty,
                "\(bad.message ?? "no message")")
            #expect(try await box.attempt("org.test.good").outcome == "completed")
            for query in ["max(length(text)) FROM output", "max(length(message)) FROM history"] {
                #expect(try box.number("SELECT \(query)") ?? 0 <= 4_096, "\(query)")
            }
            // The next host accepts everything that the plugin has stored.
            #expect(try await box.run("pending").code == 0)
            #expect(try await box.run("history").code == 0)
        }
    }

    @Test("that claims it is idle while its child runs is not kept, and its child ends")
    func idleWithChild() async throws {
        let plugin = try await Built.hostileFrames.value
        try await Sandbox.with { box in
            try Self.write(
                box, plugin, Case(handler: "is_idle_with_a_child", outcomes: ["completed"]))
            let host = try box.start("run", "--stay")
            try await host.line("Task completed with identifier org.test.bad")
            try await host.line("Task completed with identifier org.test.good")
            // The worker of the other task may be kept.
            #expect(await eventually { box.workers.count <= 1 })
            await host.stop()
        }
    }

    @Test("cannot keep a process that it makes a child of the host (leaves_to_host)")
    func leavesToHost() async throws {
        let plugin = try await Built.hostile.value
        try await Sandbox.with { box in
            try Self.write(box, plugin, Case(handler: "leaves_to_host", outcomes: ["completed"]))
            let host = try box.start("run", "--stay")
            try await host.line("Task completed with identifier org.test.bad")
            try await host.line("Task completed with identifier org.test.good")
            let message = try await box.attempt("org.test.bad").message
            let daemon = try #require(message.flatMap { pid_t($0) })
            #expect(daemon > 1)
            #expect(await eventually { !box.processes.contains { $0.pid == daemon } })
            await host.stop()
            await box.expectNothingLeft()
        }
    }

    @Test("reports any progress, and `pending` shows it")
    func progress() async throws {
        let plugin = try await Built.hostile.value
        try await Sandbox.with { box in
            try Self.write(
                box, plugin, Case(handler: "progresses_far", outcomes: ["expired"]), limit: "60s")
            let host = try box.start("run", "--once")
            // The host has received the progress before this line.
            try await host.line("told its progress")
            let pending = try await box.run("pending")
            #expect(pending.code == 0, "\(pending.error)")
            let shown = pending.output.split(separator: "\n").filter { $0.hasSuffix(", 2%") }
            #expect(shown.count == 1, "\(pending.output)")
            #expect(shown.first?.hasPrefix("running: org.test.bad ") == true, "\(pending.output)")
            await host.stop()
        }
    }

    @Test("that stops its host delays the host until it is continued")
    func stopsHost() async throws {
        let plugin = try await Built.hostile.value
        try await Sandbox.with { box in
            try Self.write(box, plugin, Case(handler: "stops_host", outcomes: ["completed"]))
            let host = try box.start("run", "--once")
            #expect(await eventually { Sandbox.state(of: host.pid) == "T" })
            #expect(await host.stop(SIGCONT).code == 0)
            #expect(try await box.attempt("org.test.bad").outcome == "completed")
            await box.expectNothingLeft()
        }
    }

    @Test(
        "that kills every process is repeated by the next host as often as the policy permits",
        .enabled(if: geteuid() == 0, "makes a pid namespace"))
    func killsEverything() async throws {
        let plugin = try await Built.hostile.value
        try await Sandbox.with { box in
            try Self.write(
                box, plugin, Case(handler: "kills_everything", outcomes: []), submit: "manual")
            #expect(try await box.run("submit", "org.test.bad").code == 0)
            // `kill -1` spares only the shell.
            let hosts = """
                for round in 1 2 3; do $BGRUN run --once $OPTIONS; done
                """
            let run = try await box.startProgram(
                "/usr/bin/unshare",
                ["--pid", "--fork", "--kill-child", "--mount-proc", "/bin/sh", "-c", hosts],
                [
                    "BGRUN": Built.bgrun, "HOSTILE_IN_NAMESPACE": "yes",
                    "OPTIONS": "--manifest \(box.manifest) --state \(box.state)",
                ]
            ).end()
            await box.expectNothingLeft()
            let attempts = try await box.history("org.test.bad")
            #expect(attempts.map(\.outcome) == ["interrupted", "interrupted"], "\(run.error)")
            #expect(try await box.history("org.test.good").last?.outcome == "completed")
            #expect(try await box.pending().count == 0)
        }
    }

    @Test(
        "leaves nothing behind if its plugin is only inspected",
        arguments: ["plugin inspect", "plugin check --only load.loads", "lint"],
        ["outlives", "floods", "frame", "forks", "forks-twice", "hangs", "stops", "short"])
    func inspect(_ command: String, _ constructor: String) async throws {
        let plugin = try await Built.hostile.value
        try await Sandbox.with { box in
            var arguments = command.split(separator: " ").map(String.init) + [plugin]
            if command == "lint" {
                let bad = Case(handler: "does_nothing", outcomes: [], constructor: constructor)
                try Self.write(box, plugin, bad)
                arguments = ["lint", "--manifest", box.manifest]
            }
            let inspect = try await box.run(arguments, ["HOSTILE_CONSTRUCTOR": constructor])
            #expect(inspect.code < 128, "\(inspect.code) \(inspect.error)")
            if constructor == "frame" {
                let said = inspect.output + inspect.error
                #expect(said.contains("wrote to bgrun's channel"), "\(said)")
            }
            await box.expectNothingLeft()
        }
    }

    private static func write(
        _ box: Sandbox, _ plugin: String, _ expected: Case, limit: String? = nil,
        submit: String = "launch"
    ) throws {
        // Handlers that end by themselves get enough time for a busy machine.
        let limit = limit ?? (expected.outcomes.contains("expired") ? "2s" : "60s")
        try box.write(
            plugins: ["bad": plugin, "hello": try Built.plugin("hello-c")],
            rest: """
                policy:
                  profile: server
                  termination_wait: 1s
                  interruption_limit: 1
                """,
            tasks: """
                org.test.bad:
                  kind: processing
                  submit: \(submit)
                  handler: bad.\(expected.handler)
                  environment: {HOSTILE_CONSTRUCTOR: "\(expected.constructor)"}
                  expiration: {after: \(limit), grace: 1s}
                org.test.good: {kind: processing, handler: hello.greet}
                org.test.far.*: {kind: processing, handler: hello.greet}
                """)
    }
}

extension Sandbox {
    /// The only number in the result of a query of the app's database; nil if it is NULL.
    func number(_ query: String) throws -> Int64? {
        var database: OpaquePointer?
        defer { sqlite3_close(database) }
        let path = state + "/org.test.app/bgrun.sqlite"
        try #require(sqlite3_open_v2(path, &database, SQLITE_OPEN_READONLY, nil) == SQLITE_OK)
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        sqlite3_prepare_v2(database, query, -1, &statement, nil)
        try #require(sqlite3_step(statement) == SQLITE_ROW)
        return sqlite3_column_type(statement, 0) == SQLITE_NULL
            ? nil : sqlite3_column_int64(statement, 0)
    }
}
