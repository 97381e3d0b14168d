// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

@Suite("The end of a host", .timeLimit(.minutes(5)))
struct EndTests {
    @Test(
        "a signal expires attempts with reason shutdown and requeues their requests",
        arguments: [SIGTERM, SIGINT, SIGHUP])
    func shutdown(_ signal: Int32) async throws {
        try await Sandbox.withProbe(
            """
            org.test.wait1: {kind: processing, handler: probe.wait}
            org.test.wait2: {kind: processing, handler: probe.wait}
            """
        ) { box in
            let host = try box.start("run")
            for task in 1...2 { try await host.line("[org.test.wait\(task)] waiting in") }
            let end = await host.stop(signal)
            #expect(box.processes.isEmpty)
            for task in 1...2 {
                #expect(end.error.contains("[org.test.wait\(task)] told 14 (shutdown)"))
            }
            #expect(end.code == 0, "nothing has failed")
            let details = try await box.history().map(\.detail)
            #expect(
                details == Array(repeating: "expired (shutdown), reported no success", count: 2))
            let pending = try await box.pending().pending
            #expect(pending.map(\.identifier) == ["org.test.wait1", "org.test.wait2"])
            #expect(pending.map(\.failures) == [0, 0])
        }
    }

    @Test("a second signal kills attempts that do not end")
    func secondSignal() async throws {
        try await Sandbox.with { box in
            try box.write(
                plugins: ["bad": try Built.misbehaving("ignores-expiration")],
                rest: "policy: {profile: server}",
                tasks: """
                    org.test.deaf:
                      kind: processing
                      handler: bad.run
                      expiration: {after: 5m, grace: 5m}
                    """)
            let host = try await box.host(until: "not listening")
            host.signal(SIGTERM)
            try await host.line("told to expire, continuing")
            #expect(await host.stop().code == 0)
            await box.expectNothingLeft()
            #expect(try await box.attempt("org.test.deaf").detail.hasPrefix("expired (shutdown)"))
            #expect(try await box.pending().count == 1)
        }
    }

    @Test("a process that ignores SIGTERM is killed even if its worker has ended")
    func deafChild() async throws {
        _ = try Built.plugin("exec")
        try await Sandbox.with { box in
            try box.write(
                plugins: ["exec": "exec"], rest: "policy: {profile: server, termination_wait: 1s}",
                tasks: """
                    org.test.deaf:
                      kind: processing
                      handler: exec.run
                      parameters: {command: "trap '' TERM; echo deaf; while :; do sleep 0.1; done"}
                      expiration: {grace: 0s}
                    """)
            let host = try await box.host(until: "deaf")
            #expect(try await box.run("expire", "org.test.deaf").code == 0)
            try await host.line("(SIGKILL)")
            try await host.line("Task ended with identifier org.test.deaf: expired")
            #expect(await host.end().code == 1)
            await box.expectNothingLeft()
        }
    }

    @Test(
        "when a host is killed, every process of its attempts ends",
        arguments: ["setsid-child", "twenty-sleepers", "stops-itself", "init-hangs", "floods-log"])
    func killedHost(_ plugin: String) async throws {
        try await Sandbox.with { box in
            try box.write(
                plugins: ["bad": try Built.misbehaving(plugin)],
                tasks: "org.test.bad: {kind: processing, handler: bad.run}")
            let host = try box.start("run")
            let lines = [
                "setsid-child": "child ", "twenty-sleepers": "forty children",
                "stops-itself": "stopping", "init-hangs": "in init", "floods-log": "one of ten",
            ]
            try await host.line(try #require(lines[plugin]))
            await host.stop(SIGKILL)
            await box.expectNothingLeft()
        }
    }

    @Test("when a host is killed, its suspended workers end")
    func killedHostOfWarmWorker() async throws {
        try await Sandbox.withProbe("org.test.who: {kind: processing, handler: probe.who}") { box in
            let host = try box.start("run", "--stay")
            let pid = try #require(try await host.line("here 1").number(after: "pid "))
            #expect(await eventually { Sandbox.state(of: pid) == "T" })
            await host.stop(SIGKILL)
            await box.expectNothingLeft()
        }
    }

    @Test("a request whose triggered attempt was interrupted keeps its date, and pending says so")
    func interruptedTrigger() async throws {
        try await Sandbox.withProbe(
            "org.test.gate: {kind: processing, handler: probe.gate, submit: manual}"
        ) { box in
            _ = try box.gate("gate")
            #expect(try await box.run("submit", "org.test.gate", "--after", "1h").code == 0)
            let host = try await box.host("--stay", until: "Background refresh")
            #expect(try await box.run("trigger", "org.test.gate").code == 0)
            try await host.line("at the gate")
            await host.stop(SIGKILL)
            let waiting = try await box.pending().pending.map(\.reason)
            #expect(waiting == ["its host died: its earliest date has not come"])
        }
    }

    @Test("an attempt whose host was killed is recorded as interrupted, and repeated")
    func interrupted() async throws {
        try await Sandbox.withProbe("org.test.gate: {kind: processing, handler: probe.gate}") {
            box in
            let gate = try box.gate("gate")
            let first = try await box.host(until: "at the gate")
            await first.stop(SIGKILL)
            let waiting = try await box.pending().pending.map(\.reason)
            #expect(waiting == ["its host died: continues as soon as a host runs"])
            let explanation = try await box.run("explain", "org.test.gate").output
            #expect(!explanation.contains("is not pending"), "\(explanation)")

            let second = try box.start("run")
            try await second.line("org.test.gate again: its last attempt was interrupted")
            try await second.line("at the gate")
            gate.open()
            #expect(await second.end().code == 0)
            let history = try await box.history()
            #expect(history.map(\.outcome) == ["interrupted", "completed"])
            #expect(history.map(\.failuresBefore) == [0, 0])
        }
    }

    @Test("top shows an attempt of a killed host before and after the next host starts")
    func interruptedOnTop() async throws {
        try await Sandbox.withProbe(
            """
            org.test.gate: {kind: processing, handler: probe.gate, submit: manual}
            org.test.who.*: {kind: processing, handler: probe.who}
            """, rest: "policy: {profile: server, concurrent_attempts: 2}"
        ) { box in
            _ = try box.gate("gate")
            let first = try await box.host("--stay", until: "Background refresh")
            #expect(try await box.run("submit", "org.test.gate").code == 0)
            try await first.line("at the gate")
            for number in 1...9 {
                #expect(try await box.run("submit", "org.test.who.\(number)").code == 0)
                try await first.line("Task completed with identifier org.test.who.\(number)")
            }
            await first.stop(SIGKILL)
            let dead = try await box.run("top").output
            #expect(dead.contains("0 running, 1 pending  no host runs"), "\(dead)")
            #expect(dead.contains("its host died: continues as soon as a host runs"), "\(dead)")

            let second = try box.start("run", "--stay")
            try await second.line("org.test.gate again: its last attempt was interrupted")
            try await second.line("at the gate")
            let alive = try await box.run("top").output
            let ended = try #require(alive.range(of: "\nENDED"), "\(alive)")
            let newest = alive[ended.upperBound...].split(separator: "\n").dropFirst().first
            #expect(newest?.hasSuffix("interrupted") == true, "\(alive)")
            await second.stop()
        }
    }

    @Test("a request is given up if its host dies too often during its attempts")
    func interruptedTooOften() async throws {
        try await Sandbox.withProbe(
            "org.test.gate: {kind: processing, handler: probe.gate, submit: manual}",
            rest: "policy: {interruption_limit: 1}"
        ) { box in
            _ = try box.gate("gate")
            #expect(try await box.run("submit", "org.test.gate").code == 0)
            for _ in 0..<2 {
                let host = try await box.host(until: "at the gate")
                await host.stop(SIGKILL)
            }
            let last = try await box.run("run")
            #expect(
                last.error.contains("Gave up a request of the task with identifier org.test.gate"))
            #expect(try await box.history().map(\.outcome) == ["interrupted", "interrupted"])
        }
    }

    @Test("a killed worker counts as crashed, and its processes are killed")
    func killedWorker() async throws {
        try await Sandbox.with { box in
            try box.write(
                plugins: ["exec": try Built.plugin("exec")],
                tasks: """
                    org.test.long:
                      kind: processing
                      handler: exec.run
                      parameters: {command: "setsid sleep 1000 & echo started; sleep 1000"}
                    """)
            let host = try await box.host(until: "started")
            kill(try #require(box.workers.first).pid, SIGKILL)
            #expect(await host.end().code == 1)
            #expect(box.processes.isEmpty)
            let detail = try await box.attempt("org.test.long").detail
            #expect(detail == "crashed with signal 9 (SIGKILL)")
        }
    }

    @Test("a pinned plugin is loaded from the checked file, and another file is refused")
    func pinned() async throws {
        let probe = try await Built.probe.value
        let digest = try await Running("/usr/bin/sha256sum", [probe], environment: [:]).end().output
            .prefix(64)
        for (pin, outcome) in [
            (String(digest), "completed"), (String(digest.reversed()), "refused"),
        ] {
            try await Sandbox.with { box in
                try box.write(
                    plugins: ["probe": "{path: \(probe), sha256: \(pin)}"],
                    tasks: "org.test.who: {kind: processing, handler: probe.who}")
                try await box.run("run")
                #expect(try await box.attempt("org.test.who").outcome == outcome)
            }
        }
    }
}
