// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@Suite("An attempt with assertions", .timeLimit(.minutes(5)))
struct AssertionTests {
    @Test("continues after its report while it holds assertions, and its worker is kept")
    func continues() async throws {
        try await Sandbox.withProbe(
            """
            org.test.on:
              kind: processing
              handler: probe.continues
              expiration: {after: 20m}
            """, rest: "policy: {profile: server, assertion_limit: 10m}"
        ) { box in
            let gate = try box.gate("gate")
            let host = try box.start("run", "--stay")
            let entered = try await host.line("ids 1, expired 0, half the time 1")
            let pid = try #require(entered.number(after: "in "))
            let running = try await box.pending().running
            #expect(running.map(\.identifier) == ["org.test.on"])
            #expect(try await box.history().isEmpty)
            gate.open()
            // -2 is BGRUN_E_STATE.
            try await host.line("one left: expired 0, reported again -2")
            try await host.line("none left: expired 1, time 0, begin 0")
            try await host.line("Task completed with identifier org.test.on: reported")

            let index = host.errorLines.count
            #expect(try await box.run("submit", "org.test.on").code == 0)
            let again = try await host.line("ids 1, expired 0, half the time 1", after: index)
            #expect(again.number(after: "in ") == pid)
            gate.open()
            try await host.line("Task completed", after: index)
            #expect(await host.stop().code == 0)
            #expect(try await box.history().map(\.message) == ["reported", "reported"])
        }
    }

    @Test(
        "receives the reason of a revocation, and its reported work is not run again",
        arguments: ["shutdown", "power-lost", "cancelled"])
    func cutShort(_ reason: String) async throws {
        try await Sandbox.withProbe(
            "org.test.on: {kind: processing, handler: probe.keeps-on}",
            rest: "policy: {profile: server, assertion_limit: 10m}"
        ) { box in
            let host = try await box.host(until: "keeping on")
            if reason == "shutdown" {
                host.signal(SIGTERM)
            } else {
                #expect(try await box.run("expire", "org.test.on", "--reason", reason).code == 0)
            }
            let end = await host.end()
            #expect(end.error.contains("told \(reason), expired 1, begin 0, within grace 1"))
            #expect(end.code == 0)
            let attempt = try await box.attempt("org.test.on")
            #expect(attempt.outcome == "completed")
            #expect(
                attempt.message == "reported; the assertion \"save\" was cut short (\(reason))")
            #expect(try await box.pending().count == 0)
            await box.expectNothingLeft()
        }
    }

    @Test("gets no assertion if it was told to expire before its report, and is run again")
    func tooLate() async throws {
        try await Sandbox.withProbe(
            "org.test.late: {kind: processing, handler: probe.begins-late}"
        ) { box in
            let host = try await box.host(until: "waiting in")
            #expect(await host.stop().error.contains("told first, begin 0"))
            let detail = try await box.attempt("org.test.late").detail
            #expect(detail == "expired (shutdown), reported success afterwards")
            #expect(try await box.pending().count == 1)
        }
    }

    @Test("that does not end its assertion is killed, and the next launch waits")
    func leaked() async throws {
        try await Sandbox.with { box in
            try box.write(
                plugins: ["bad": try Built.misbehaving("leaks-assertion")],
                rest:
                    "policy: {profile: server, assertion_limit: 1s, missed_completion_penalty: 1h}",
                tasks: """
                    org.test.bad:
                      kind: processing
                      handler: bad.run
                      expiration: {grace: 1s}
                    """)
            let host = try box.start("run", "--stay")
            try await host.line("Expiring task with identifier org.test.bad: time")
            try await host.line("told to expire")
            try await host.line("Terminating task with identifier org.test.bad")
            try await host.line(
                "Task completed with identifier org.test.bad: done, but holding on; "
                    + "the assertion \"tidy up\" was not ended in time")
            #expect(try await box.attempt("org.test.bad").outcome == "completed")
            #expect(await eventually { box.workers.isEmpty })
            #expect(try await box.run("submit", "org.test.bad").code == 0)
            let row = try #require(try await box.pending().pending.first)
            #expect(row.reason.hasPrefix("rate limited"), "\(row)")
            #expect(row.rateLimitedUntil != nil)
            let table = try await box.run("pending").output
            #expect(!table.contains("processing  -"), "the column NOT BEFORE is empty: \(table)")
            #expect(await host.stop().code == 0)
        }
    }

    @Test("holds a limited number of assertions, which are counted")
    func hoards() async throws {
        try await Sandbox.withProbe(
            "org.test.many: {kind: processing, handler: probe.hoards}",
            rest: "policy: {profile: server, assertion_limit: 0s}"
        ) { box in
            let end = try await box.run("run")
            #expect(end.error.contains("held 64"))
            #expect(end.code == 0)
            #expect(
                try await box.attempt("org.test.many").message
                    == "64 assertions were not ended in time, the first \"one more\"")
        }
    }
}
