// SPDX-License-Identifier: Apache-2.0

import Testing

/// Runs every plugin of Tests/Misbehaving together with a correct one.
@Suite("Attempts of misbehaving plugins", .timeLimit(.minutes(10)))
struct MisbehavingTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var plugin: String
        var outcome: String
        /// A part of the attempt's message.
        var message = ""
        var detail = ""
        /// Parts of the host's log.
        var log: [String] = []
        var dropsLines = false
        var testDescription: String { plugin }
    }

    private static let cases: [Case] = [
        Case(
            plugin: "abort", outcome: "crashed", detail: "signal 6 (SIGABRT)",
            log: ["[org.test.bad] about to abort"]),
        Case(
            plugin: "asks-app", outcome: "completed",
            message: "permitted 2 requires 0, other case -21, nothing -1"),
        Case(plugin: "bad-handlers", outcome: "completed", message: "all refused"),
        Case(plugin: "bad-transfers", outcome: "completed", message: "10 of 10 refused"),
        Case(plugin: "changes-process", outcome: "completed", message: "CHANGED unset"),
        Case(plugin: "changes-signals", outcome: "completed", message: "SIGTERM ends it"),
        Case(
            plugin: "closes-descriptors", outcome: "failed", message: "closed its channel to bgrun",
            log: ["closing everything"]),
        Case(
            plugin: "completes-after-expiry", outcome: "expired", message: "finished all the same",
            detail: "expired (time), reported success afterwards", log: ["working"]),
        Case(plugin: "completes-on-thread", outcome: "completed", message: "from another thread"),
        Case(
            plugin: "completes-twice", outcome: "completed", message: "first",
            log: ["second refused"]),
        Case(
            plugin: "constructor-crashes", outcome: "crashed",
            message: "while the plugin was loaded", detail: "signal 11 (SIGSEGV)"),
        Case(plugin: "completes-and-stays", outcome: "completed", message: "done, but staying"),
        Case(
            plugin: "daemon-holds-output", outcome: "completed",
            message: "left a daemon that holds the output"),
        Case(plugin: "daemonizes", outcome: "completed", message: "left a daemon"),
        Case(plugin: "duplicate-handler", outcome: "completed", message: "first"),
        Case(plugin: "eats-stdin", outcome: "completed", message: "0 bytes of standard input"),
        Case(plugin: "endless-line", outcome: "completed", message: "one line"),
        Case(
            plugin: "endless-loop", outcome: "expired", detail: "without a report",
            log: ["told to expire", "(SIGTERM)"]),
        Case(plugin: "exit-0", outcome: "exited", detail: "exited with code 0 without a report"),
        Case(plugin: "exit-3", outcome: "exited", detail: "exited with code 3 without a report"),
        Case(
            plugin: "expire-never-returns", outcome: "expired", detail: "without a report",
            log: ["stuck in expire", "(SIGTERM)"]),
        Case(
            plugin: "floods-log", outcome: "expired", log: ["one of ten million"], dropsLines: true),
        Case(plugin: "floods-stdout", outcome: "expired", log: ["line 8"], dropsLines: true),
        Case(
            plugin: "garbage-on-channel", outcome: "failed",
            message: "wrote to its channel to bgrun", log: ["writing garbage"]),
        Case(plugin: "huge-values", outcome: "completed", log: ["two lines"]),
        Case(
            plugin: "ignores-expiration", outcome: "expired", detail: "without a report",
            log: ["told to expire, continuing", "(SIGTERM)", "(SIGKILL)"]),
        Case(
            plugin: "init-fails", outcome: "refused", message: "its init failed with -6",
            log: ["the licence has run out"]),
        Case(
            plugin: "init-hangs", outcome: "expired", message: "while the plugin was loaded",
            detail: "expired (time), without a report", log: ["in init"]),
        Case(plugin: "invalid-utf8", outcome: "completed", log: ["\u{FFFD} cut: \u{FFFD}"]),
        Case(plugin: "keeps-descriptor", outcome: "completed", message: "a new process"),
        Case(plugin: "keeps-thread", outcome: "completed", message: "a new process"),
        Case(plugin: "large-checkpoint", outcome: "completed", message: "checkpoints"),
        Case(
            plugin: "leaks-assertion", outcome: "completed",
            message: "holding on; the assertion \"tidy up\" was not ended in time",
            log: [
                "Expiring task with identifier org.test.bad: time", "told to expire", "(SIGTERM)",
            ]
        ),
        Case(plugin: "leaks-descriptor", outcome: "completed", message: "left a descriptor"),
        Case(plugin: "leaks-thread", outcome: "completed", message: "left a thread"),
        Case(plugin: "missing-entry", outcome: "refused", message: "bgrun_plugin_entry"),
        Case(
            plugin: "never-completes", outcome: "expired", detail: "without a report",
            log: ["returning without a word", "told to expire", "(SIGTERM)"]),
        Case(plugin: "newer-minor", outcome: "completed", message: "from the future"),
        Case(plugin: "no-handlers", outcome: "refused", message: "registered no handler"),
        Case(plugin: "null-entry", outcome: "refused", message: "cannot work with plugin ABI 1.5"),
        Case(plugin: "null-init", outcome: "refused", message: "has no name or no init"),
        Case(plugin: "registers-late", outcome: "completed", message: "registered late"),
        Case(plugin: "segfault", outcome: "crashed", detail: "signal 11 (SIGSEGV)"),
        Case(plugin: "setsid-child", outcome: "expired", log: ["child "]),
        Case(
            plugin: "signals-group", outcome: "crashed", detail: "signal 15 (SIGTERM)",
            log: ["killing the group"]),
        Case(plugin: "small-struct", outcome: "refused", message: "struct_size 16"),
        Case(plugin: "stale-task", outcome: "completed", message: "stale handles were refused"),
        Case(plugin: "stops-itself", outcome: "expired", log: ["stopping"]),
        Case(
            plugin: "thread-never-completes", outcome: "expired", detail: "without a report"),
        Case(
            plugin: "throws", outcome: "crashed", detail: "signal 6 (SIGABRT)",
            log: ["throwing", "out of launch"]),
        Case(plugin: "twenty-sleepers", outcome: "expired", log: ["forty children"]),
        Case(plugin: "unknown-extension", outcome: "completed", message: "no such thing"),
        Case(plugin: "unpermitted-submit", outcome: "completed", message: "submit was refused"),
        Case(
            plugin: "wrong-abi", outcome: "refused",
            message: "built for plugin ABI 2.0, this bgrun has 1.5"),
    ]

    @Test(
        "an attempt has the outcome of its end, leaves no process, and another app's completes",
        arguments: cases)
    func plugin(_ expected: Case) async throws {
        try await Sandbox.with { box in
            try Self.write(box, expected.plugin)
            let run = try await box.start("run").end()
            await box.expectNothingLeft()

            let bad = try await box.attempt("org.test.bad")
            #expect(bad.outcome == expected.outcome, "\(run.error)")
            #expect(bad.detail.contains(expected.detail) || expected.detail.isEmpty)
            #expect(
                (bad.message ?? "").contains(expected.message) || expected.message.isEmpty,
                "\(bad.message ?? "no message")")
            #expect((bad.droppedLines > 0) == expected.dropsLines)
            for line in expected.log { #expect(run.error.contains(line)) }
            #expect(try await box.attempt("org.test.good").outcome == "completed")
            #expect(run.code == (expected.outcome == "completed" ? 0 : 1))
            #expect(try await box.pending().count == 0)
        }
    }

    @Test("a plugin that uses up memory ends at its limit, and another app's attempt completes")
    func eatsMemory() async throws {
        try await Sandbox.with { box in
            try Self.write(box, "eats-memory")
            let run = try await box.startShell("ulimit -v 1000000; exec $BGRUN run $OPTIONS").end()
            await box.expectNothingLeft()
            #expect(try await box.attempt("org.test.bad").detail.contains("SIGABRT"))
            #expect(try await box.attempt("org.test.good").outcome == "completed")
            #expect(run.code == 1)
        }
    }

    @Test("every misbehaving plugin is tested")
    func isComplete() throws {
        _ = try Built.misbehaving("abort")
        #expect(Set(Self.cases.map(\.plugin) + ["eats-memory"]) == Set(Built.misbehavingNames))
    }

    @Test("a changed process is not used for the next attempt")
    func changesProcess() async throws {
        try await Sandbox.with { box in
            try box.write(
                plugins: ["bad": try Built.misbehaving("changes-process")],
                rest: "policy: {profile: server, concurrent_attempts: 1}",
                tasks: """
                    org.test.first: {kind: processing, handler: bad.run}
                    org.test.second: {kind: processing, handler: bad.run}
                    """)
            #expect(try await box.run("run").code == 0)
            let first = try await box.attempt("org.test.first").message
            #expect(first?.contains("umask 022 SIGUSR1 free nice 0 CHANGED unset") == true)
            #expect(try await box.attempt("org.test.second").message == first)
        }
    }

    @Test("a warm worker restores directory, file mode mask and signal mask")
    func restoresPlace() async throws {
        let plugin = try await Built.hostile.value
        try await Sandbox.with { box in
            try box.write(
                plugins: ["bad": plugin],
                rest: "policy: {profile: server, concurrent_attempts: 1}",
                tasks: """
                    org.test.first: {kind: processing, handler: bad.changes_place}
                    org.test.second: {kind: processing, handler: bad.changes_place}
                    """)
            #expect(try await box.run("run").code == 0)
            let first = try #require(try await box.attempt("org.test.first").message)
            #expect(first.hasSuffix(" \(box.directory) 022 0"))
            // It begins with the process ID.
            #expect(try await box.attempt("org.test.second").message == first)
        }
    }

    private static func write(_ box: Sandbox, _ plugin: String) throws {
        try box.write(
            plugins: [
                "bad": try Built.misbehaving(plugin), "hello": try Built.plugin("hello-c"),
            ],
            rest: """
                policy: {profile: server, termination_wait: 1s, assertion_limit: 1s, output_lines: 9}
                """,
            tasks: """
                org.test.bad:
                  kind: processing
                  handler: bad.run
                  expiration: {after: \(limit(plugin)), grace: 2s}
                org.test.good: {kind: processing, handler: hello.greet}
                """)
    }

    /// Plugins that end by themselves get enough time for a busy machine.
    private static func limit(_ plugin: String) -> String {
        let isRevoked = cases.contains { $0.plugin == plugin && $0.outcome == "expired" }
        return isRevoked ? "1s" : "60s"
    }
}
