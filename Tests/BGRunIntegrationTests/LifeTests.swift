// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

@Suite("An attempt from its launch to its successor", .timeLimit(.minutes(5)))
struct LifeTests {
    @Test("a worker is suspended between attempts, and runs the next one")
    func warmWorker() async throws {
        try await Sandbox.withProbe("org.test.who: {kind: processing, handler: probe.who}") { box in
            let host = try box.start("run", "--stay")
            let first = try await host.line("here 1")
            try await host.line("Task completed")
            let pid = try #require(first.number(after: "pid "))
            #expect(await eventually { Sandbox.state(of: pid) == "T" })

            #expect(try await box.run("submit", "org.test.who").code == 0)
            #expect(try await host.line("here 2").number(after: "pid ") == pid)
            #expect(await host.stop().code == 0)
            #expect(box.processes.isEmpty)
        }
    }

    @Test("a host that has run an attempt and waits has one thread")
    func threads() async throws {
        try await Sandbox.withProbe("org.test.who: {kind: processing, handler: probe.who}") { box in
            let host = try await box.host("--stay", until: "Task completed")
            // The host answers while its store is open.
            #expect(try await box.run("pending").code == 0)
            let threads = try FileManager.default.contentsOfDirectory(
                atPath: "/proc/\(host.pid)/task")
            #expect(threads.count == 1)
            #expect(await host.stop().code == 0)
        }
    }

    @Test("a worker that is idle for `warm_idle` ends, and so does one whose attempt was expired")
    func endOfWorker() async throws {
        try await Sandbox.withProbe(
            """
            org.test.who: {kind: processing, handler: probe.who}
            org.test.wait: {kind: processing, handler: probe.wait, submit: manual}
            """, rest: "policy: {profile: server, warm_idle: 1s}"
        ) { box in
            let host = try await box.host("--stay", until: "Task completed")
            #expect(await eventually { box.workers.isEmpty })
            #expect(await host.stop().code == 0)
        }
        try await Sandbox.withProbe("org.test.wait: {kind: processing, handler: probe.wait}") {
            box in
            let host = try await box.host("--stay", until: "waiting in")
            #expect(try await box.run("expire", "org.test.wait").code == 0)
            try await host.line("reported no success")
            #expect(await eventually { box.workers.isEmpty })
            #expect(await host.stop().code == 1)
        }
    }

    @Test(
        "a worker in which an attempt has left threads or descriptors is not kept",
        arguments: [
            "leaks-descriptor", "leaks-thread", "daemonizes", "changes-process", "changes-signals",
        ])
    func leavesSomething(_ plugin: String) async throws {
        try await Sandbox.with { box in
            try box.write(
                plugins: ["bad": try Built.misbehaving(plugin)],
                tasks: "org.test.bad: {kind: processing, handler: bad.run}")
            let host = try await box.host("--stay", until: "Task completed")
            #expect(await eventually { box.workers.isEmpty })
            #expect(await host.stop().code == 0)
            await box.expectNothingLeft()
        }
    }

    @Test(
        "a worker whose plugin declares its kept resources runs the next attempt",
        arguments: ["keeps-descriptor", "keeps-thread"])
    func keepsSomething(_ plugin: String) async throws {
        try await Sandbox.with { box in
            try box.write(
                plugins: ["good": try Built.misbehaving(plugin)],
                tasks: "org.test.good: {kind: processing, handler: good.run}")
            let host = try await box.host("--stay", until: "a new process")
            #expect(try await box.run("submit", "org.test.good").code == 0)
            try await host.line("the same process")
            #expect(await host.stop().code == 0)
        }
    }

    @Test("the ladder calls the handler, then sends SIGTERM, then SIGKILL")
    func ladder() async throws {
        try await Sandbox.with { box in
            try box.write(
                plugins: ["bad": try Built.misbehaving("ignores-expiration")],
                rest: "policy: {termination_wait: 1s}",
                tasks: """
                    org.test.deaf:
                      kind: processing
                      handler: bad.run
                      expiration: {after: 1s, grace: 1s}
                    """)
            let log = try await box.run("run").error
            let steps = [
                "Starting task", "not listening",
                "Expiring task with identifier org.test.deaf: time",
                "told to expire, continuing", "(SIGTERM)", "(SIGKILL)", "expired (time), without",
            ].map { log.range(of: $0)?.lowerBound }
            #expect(!steps.contains(nil), "\(log)")
            #expect(steps.compactMap(\.self) == steps.compactMap(\.self).sorted(), "\(log)")
        }
    }

    @Test(
        "the handler receives the reason",
        arguments: [("cancelled", 13), ("time", 1), ("stalled", 11)])
    func reason(_ name: String, _ number: Int) async throws {
        try await Sandbox.withProbe(
            """
            org.test.wait:
              kind: processing
              handler: probe.wait
              expiration: {after: 60s, grace: 7s}
            """
        ) { box in
            let host = try await box.host(until: "waiting in")
            #expect(try await box.run("expire", "org.test.wait", "--reason", name).code == 0)
            try await host.line("told \(number) (\(name)), grace 7000 ms")
            #expect(await host.end().code == 1)
            let attempt = try await box.attempt("org.test.wait")
            #expect(attempt.detail == "expired (\(name)), reported no success")
            #expect(attempt.message == name)
        }
    }

    @Test("a lost condition requeues; the checkpoint goes to the next attempt, success removes it")
    func checkpoint() async throws {
        try await Sandbox.withProbe("org.test.long: {kind: processing, handler: probe.checkpoint}")
        {
            box in
            let host = try await box.host("--stay", until: "no checkpoint")
            #expect(
                try await box.run("expire", "org.test.long", "--reason", "power-lost").code == 0)
            try await host.line("again: its last attempt expired (power-lost)")
            try await host.line("checkpoint 7: half")
            try await host.line("Task completed")

            let seen = host.errorLines.count
            #expect(try await box.run("submit", "org.test.long").code == 0)
            try await host.line("no checkpoint", after: seen)
            await host.stop()
            #expect(try await box.history().map(\.outcome) == ["expired", "completed", "expired"])
        }
    }

    @Test("a failure is retried after its backoff, until it succeeds")
    func retry() async throws {
        try await Sandbox.withProbe(
            """
            org.test.third:
              kind: processing
              handler: probe.fail-twice
              retry: {backoff: exponential, from: 1s}
            """
        ) { box in
            let run = try await box.run("run")
            #expect(run.error.contains("again in 1s (failures so far: 1)"))
            #expect(run.error.contains("again in 2s (failures so far: 2)"))
            let history = try await box.history()
            #expect(history.map(\.outcome) == ["failed", "failed", "completed"])
            #expect(history.map(\.failuresBefore) == [0, 1, 2])
            #expect(run.code == 1, "an attempt has failed")
        }
    }

    @Test("no more attempts run than the retry rule permits")
    func retryLimit() async throws {
        try await Sandbox.withProbe(
            """
            org.test.third:
              kind: processing
              handler: probe.fail-twice
              retry: {backoff: linear, from: 1s, attempts: 2}
            """
        ) { box in
            let run = try await box.run("run")
            #expect(run.code == 1)
            #expect(
                run.error.contains("Gave up a request of the task with identifier org.test.third"))
            #expect(try await box.history().count == 2)
            #expect(try await box.pending().count == 0)
        }
    }

    @Test("a periodic task is launched again and again")
    func every() async throws {
        try await Sandbox.withProbe(
            "org.test.who: {kind: processing, handler: probe.who, every: 1s}"
        ) { box in
            let host = try await box.host(until: "here 3")
            #expect(await host.stop().code == 0)
            #expect(try await box.pending().pending.map(\.identifier) == ["org.test.who"])
        }
    }

    @Test("a handler gets its task's parameters below the submitted ones, and its environment")
    func parameters() async throws {
        try await Sandbox.withProbe(
            """
            org.test.who:
              kind: processing
              handler: probe.who
              submit: manual
              parameters: {a: 1, b: [2], c: null}
              environment: {PROBE: "yes"}
            """
        ) { box in
            let host = try await box.host("--stay")
            #expect(try await box.run("submit", "org.test.who").code == 0)
            let plain = try await host.line("here 1")
            #expect(plain.contains(#"parameters {"a":1,"b":[2],"c":null}, PROBE=yes"#))
            try await host.line("Task completed")
            let overlay = #"{"b": {"x": "\u00fc"}, "d": true}"#
            #expect(
                try await box.run("submit", "org.test.who", "--parameters", overlay).code == 0)
            let overlaid = try await host.line("here 2")
            #expect(overlaid.contains(#"parameters {"a":1,"b":{"x":"ü"},"c":null,"d":true}"#))
            await host.stop()
        }
    }

    @Test("a handler submits, lists and cancels requests")
    func schedules() async throws {
        try await Sandbox.withProbe(
            """
            org.test.parent: {kind: processing, handler: probe.schedule}
            org.test.child: {kind: processing, handler: probe.who, submit: manual}
            org.test.late: {kind: app-refresh, handler: probe.who, submit: manual}
            """
        ) { box in
            let run = try await box.run("run")
            let expected = [
                "submit 0 0", "submit no object -1", "submit old 0, unknown requirement -1",
                "pending org.test.late kind 1 later",
                "cancel 0 -5",
            ]
            for line in expected { #expect(run.error.contains(line), "\(run.error)") }
            #expect(run.code == 0)
            #expect(try await box.attempt("org.test.child").message == #"{"from":"parent"}"#)
            #expect(try await box.history("org.test.late").isEmpty)
        }
    }

    @Test("a call during the report of another thread is answered")
    func crossingCall() async throws {
        try await Sandbox.withProbe(
            """
            org.test.calls:
              kind: processing
              handler: probe.calls
              submit: manual
              expiration: {after: 60s, grace: 5s}
            """
        ) { box in
            let host = try await box.host("--stay")
            for _ in 0..<5 {
                let seen = host.errorLines.count
                #expect(try await box.run("submit", "org.test.calls").code == 0)
                try await host.line("calling", after: seen)
                #expect(try await box.run("expire", "org.test.calls").code == 0)
                try await host.line("Task ended", after: seen)
            }
            #expect(!host.errorLines.contains { $0.contains("Terminating") })
            await host.stop()
        }
    }

    @Test("progress is shown with its title, and its last value is not lost")
    func progress() async throws {
        try await Sandbox.withProbe("org.test.count: {kind: processing, handler: probe.progress}") {
            box in
            let run = try await box.run("run")
            #expect(run.error.contains("progress 100% (1000/1000) Counting"), "\(run.error)")
        }
    }

    @Test("the last progress is shown while its attempt runs")
    func lastProgress() async throws {
        try await Sandbox.withProbe(
            """
            org.test.count:
              kind: processing
              handler: probe.progress
              environment: {PROBE: stay}
            """
        ) { box in
            let gate = try box.gate("gate")
            let host = try await box.host(until: "progress 100% (1000/1000) Counting")
            #expect(try await box.history().isEmpty)
            gate.open()
            #expect(await host.end().code == 0)
        }
    }

    @Test("output is kept up to its limits, and dropped lines are counted")
    func output() async throws {
        try await Sandbox.with { box in
            try box.write(
                plugins: ["exec": try Built.plugin("exec")],
                rest: "policy: {output_lines: 100, output_line_size: 64B}",
                tasks: """
                    org.test.seq:
                      kind: processing
                      handler: exec.run
                      parameters:
                        command: "printf '%080d\\\\n' 1; seq 2 20000; printf unended >&2"
                    """)
            #expect(try await box.run("run").code == 0)
            let attempt = try await box.attempt("org.test.seq")
            #expect(attempt.droppedLines == 19_901)
            let output = try await box.run("history", "--output", "\(attempt.attempt)").output
            let lines = output.split(separator: "\n")
            #expect(lines.count == 101)
            #expect(lines.prefix(2) == [Substring(String(repeating: "0", count: 64)), "2"])
            #expect(lines.dropFirst(50).first == "... 19901 lines were not kept (output_lines) ...")
            #expect(lines.suffix(2).contains("unended") && lines.contains("20000"))
        }
    }

    @Test("no more attempts run at once than the policy permits")
    func concurrency() async throws {
        let tasks = (1...3).map { "org.test.gate\($0): {kind: processing, handler: probe.gate}" }
        try await Sandbox.withProbe(
            tasks.joined(separator: "\n"),
            rest: "policy: {concurrent_attempts: 2, concurrent_processing: 3}"
        ) { box in
            let gate = try box.gate("gate")
            let host = try await box.host(until: "[org.test.gate1] at the gate")
            try await host.line("[org.test.gate2] at the gate")
            let state = try await box.pending()
            #expect(state.running.map(\.identifier) == ["org.test.gate1", "org.test.gate2"])
            #expect(state.pending.map(\.identifier) == ["org.test.gate3"])
            #expect(state.pending.first?.reason.hasPrefix("2 attempts are running") == true)
            for _ in 0..<3 { gate.open() }
            #expect(await host.end().code == 0)
            #expect(
                try await box.history().map(\.outcome) == ["completed", "completed", "completed"])
        }
    }

    @Test("a host whose log is no longer read continues")
    func closedLog() async throws {
        try await Sandbox.withProbe("org.test.who: {kind: processing, handler: probe.who}") { box in
            let run = try await box.start("run", closingError: true).end()
            #expect(run.code == 0)
            #expect(try await box.attempt("org.test.who").outcome == "completed")
        }
    }
}

extension String {
    /// The number directly after `text`.
    func number(after text: String) -> Int32? {
        guard let range = range(of: text) else { return nil }
        return Int32(self[range.upperBound...].prefix { $0.isNumber })
    }
}
