// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

@Suite("Commands that show the past", .timeLimit(.minutes(5)))
struct SeeTests {
    private static let tasks = """
        org.test.good: {kind: processing, handler: exec.run, submit: manual, parameters: {command: 'echo all is well'}}
        org.test.bad: {kind: processing, handler: exec.run, submit: manual, parameters: {command: 'echo woe >&2; exit 3'}}
        org.test.power: {kind: processing, handler: exec.run, requires: {power: external}, parameters: {command: 'true'}}
        """

    /// An app with one attempt that completed, three that failed, and a request that waits.
    private func withPast(_ body: (Sandbox) async throws -> Void) async throws {
        try await Sandbox.withPlugin(
            "exec", rest: "policy: {profile: server}", tasks: Self.tasks
        ) { box in
            for identifier in ["org.test.bad", "org.test.good", "org.test.bad", "org.test.bad"] {
                #expect(try await box.run("submit", identifier).code == 0)
                try await box.run("run", "--once", "--quiet")
            }
            try await body(box)
        }
    }

    @Test(
        "history finds the attempts that match its filters",
        arguments: [
            (["--failed"], [4, 3, 1]), (["--outcome", "completed"], [2]),
            (["--outcome", "completed,failed", "--limit", "2"], [4, 3]),
            (["--since", "1h"], [4, 3, 2, 1]), (["--until", "1h"], []),
            (["org.test.good", "--failed"], []), (["--reason", "time,power-lost"], []),
            (["org.test.bad", "--since", "-1h", "--until", "+1h"], [4, 3, 1]),
        ] as [([String], [Int64])])
    func history(_ arguments: [String], _ attempts: [Int64]) async throws {
        try await withPast { box in
            let found = try await box.run(
                ["history", "-m", box.manifest, "--state", box.state, "--json"] + arguments)
            #expect(found.code == 0, "\(found.error)")
            #expect(try Sandbox.attempts(found.output).reversed().map(\.attempt) == attempts)
            let none = try await box.run("history", "--limit", "0").output
            #expect(none.hasPrefix("--limit 0 lists nothing"), "\(none)")
        }
    }

    @Test("the state of the device is logged at launch, and history has the dates of an attempt")
    func dates() async throws {
        struct Dates: Decodable {
            var launched: String
            var ended: String
        }
        let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        try await Sandbox.with { box in
            try box.write(
                plugins: ["exec": try Built.plugin("exec")], rest: "policy: {profile: server}",
                tasks: Self.tasks)
            #expect(try await box.run("submit", "org.test.good").code == 0)
            // Dates are rounded down to milliseconds.
            let before = Date(timeIntervalSinceNow: -0.001)
            let run = try await box.run("run", "--once")
            let after = Date()
            let status = try #require(
                run.error.range(of: "Background refresh is available, low power mode is "))
            let start = try #require(run.error.range(of: "Starting task with identifier"))
            #expect(status.upperBound < start.lowerBound, "\(run.error)")
            let history = try await box.run("history", "--json")
            let attempts = try JSONDecoder().decode([Dates].self, from: Data(history.output.utf8))
            let attempt = try #require(attempts.first)
            let launched = try format.parse(attempt.launched)
            let ended = try format.parse(attempt.ended)
            #expect(before <= launched && launched <= ended && ended <= after, "\(attempt)")
        }
    }

    @Test(
        "an invalid filter is a usage error",
        arguments: [
            ["history", "--outcome", "fail"], ["history", "--reason", "rain"],
            ["history", "--failed", "--outcome", "failed"], ["history", "--since", "yesterday"],
            ["history", "--follow", "--output", "1"], ["logs", "-n", "-1"],
            ["report", "--fail-on", "luck"], ["doctor", "--symptom", "cough"],
        ])
    func usage(_ arguments: [String]) async throws {
        try await Sandbox.with { box in
            let end = try await box.start(arguments + ["-m", "x"]).end()
            #expect(end.code == 64, "\(end.error)")
        }
    }

    @Test("logs print the output of every attempt in order, with its attempt")
    func logs() async throws {
        try await withPast { box in
            func logs(_ arguments: String...) async throws -> [String] {
                let end = try await box.run(
                    ["logs", "-m", box.manifest, "--state", box.state] + arguments)
                #expect(end.code == 0, "\(end.error)")
                // Drops the date.
                return end.output.split(separator: "\n").map { String($0.dropFirst(20)) }
            }
            let all = [
                "org.test.bad[1] woe", "org.test.good[2] all is well", "org.test.bad[3] woe",
                "org.test.bad[4] woe",
            ]
            #expect(try await logs() == all)
            #expect(try await logs("org.test.good") == [all[1]])
            #expect(try await logs("--attempt", "3") == [all[2]])
            #expect(try await logs("-n", "2") == Array(all[2...]))
            #expect(try await logs("--since", "1h") == all)
            #expect(try await logs("--since", "+1h") == [])
            let json = try await box.run("logs", "--json").output.split(separator: "\n")
            #expect(json.count == 4)
            #expect(json[0].contains(#""attempt":1,"identifier":"org.test.bad","stream":"stderr""#))
        }
    }

    @Test("a command receives the number of its attempt in history and of its try")
    func numbers() async throws {
        try await Sandbox.withPlugin(
            "exec", rest: "policy: {profile: server}",
            tasks: """
                org.test.tells:
                  kind: processing
                  handler: exec.run
                  parameters: {command: "echo $BGRUN_ATTEMPT $BGRUN_TRY; exit $((BGRUN_ATTEMPT < 3))"}
                  submit: manual
                  retry: {backoff: linear, from: 1s, to: 1s, attempts: 2}
                """
        ) { box in
            for _ in 1...2 {
                #expect(try await box.run("submit", "org.test.tells").code == 0)
                _ = try await box.run("run", "--quiet")
            }
            let attempts = try await box.history()
            #expect(Set(attempts.map(\.attempt)) == [1, 2, 3])
            for (attempt, tries) in [(1, 1), (2, 2), (3, 1)] {
                let output = try await box.run("history", "--output", "\(attempt)").output
                #expect(output == "\(attempt) \(tries)\n")
            }
        }
    }

    @Test(
        "an unknown attempt exits with 66 and a list of the stored ones",
        arguments: [["history", "--output", "999"], ["logs", "--attempt", "999"]])
    func unknownAttempt(_ words: [String]) async throws {
        try await withPast { box in
            let options = ["-m", box.manifest, "--state", box.state]
            let end = try await box.start(words + options).end()
            #expect(end.code == 66 && end.output.isEmpty)
            #expect(
                end.error == """
                    bgrun: the store has no attempt 999; it has attempts 1 to 4, and `bgrun history` lists \
                    them

                    """)
            let known = try await box.start(words.dropLast() + ["2"] + options).end()
            #expect(known.code == 0 && known.output.contains("all is well"), "\(known.error)")
            let other = try await box.run(words.dropLast() + ["2", "org.test.bad"] + options)
            #expect(other.code == 66)
            #expect(other.error.contains("attempt 2 belongs to org.test.good, not to org."))
        }
        try await Sandbox.with { box in
            try box.write(tasks: "{}")
            let end = try await box.run(words + ["-m", box.manifest, "--state", box.state])
            #expect(end.code == 66)
            #expect(end.error.contains("has no attempt 999; it has no attempts"), "\(end.error)")
        }
    }

    @Test("logs -f and history --follow continue across hosts, and miss nothing")
    func follow() async throws {
        try await withPast { box in
            let shell = "$BGRUN logs $OPTIONS -f -n 1 >&2"
            let logs = try box.startShell("exec " + shell)
            let history = try box.startShell(
                "exec $BGRUN history $OPTIONS --follow --limit 1 --failed >&2")
            let good = try box.startShell(
                "exec $BGRUN history org.test.good $OPTIONS --follow --limit 1 >&2")
            try await logs.line("org.test.bad[4] woe")
            try await history.line("org.test.bad (attempt 4) failed")
            for attempt in 5...6 {
                for identifier in ["org.test.bad", "org.test.good"] {
                    #expect(try await box.run("submit", identifier).code == 0)
                }
                try await box.run("run", "--once", "--quiet")
                try await logs.line("] woe", after: attempt == 5 ? 1 : 3)
                try await logs.line("] all is well", after: attempt == 5 ? 1 : 3)
            }
            try await history.line("(attempt", after: 2)
            try await good.line("(attempt", after: 2)
            for program in [logs, history, good] {
                #expect(await program.stop().code == 0)
            }
            #expect(logs.errorLines.count == 5)
            #expect(history.errorLines.count == 3)
            #expect(history.errorLines.allSatisfy { $0.contains("org.test.bad") })
            #expect(good.errorLines.allSatisfy { $0.contains("org.test.good") })
        }
    }

    @Test("the lines of a running attempt are printed while it runs, each once")
    func followRunning() async throws {
        try await Sandbox.withProbe(
            "org.test.gate: {kind: processing, handler: probe.gate}"
        ) { box in
            let gate = try box.gate("gate")
            let logs = try box.startShell("exec $BGRUN logs $OPTIONS -f >&2")
            let host = try box.start("run")
            try await logs.line("org.test.gate[1] at the gate in")
            gate.open()
            #expect(await host.end().code == 0)
            let history = try box.startShell("exec $BGRUN history $OPTIONS --follow >&2")
            try await history.line("org.test.gate (attempt 1) completed")
            await logs.stop()
            #expect(logs.errorLines.count { $0.contains("at the gate") } == 1)
            await history.stop()
        }
    }

    @Test("a report counts, lists what needs attention, and fails if requested")
    func report() async throws {
        try await withPast { box in
            let text = try await box.run("report", "--since", "1h")
            #expect(text.code == 0)
            let lines = text.output.split(separator: "\n").map {
                $0.replacing(#/  +/#, with: " ")
            }
            let first = try #require(lines.first)
            #expect(first.hasPrefix("org.test.app, "))
            #expect(first.hasSuffix(": 4 attempts of 3 tasks"))
            #expect(lines.contains("org.test.bad: 3 failures in a row, the last one: failed"))
            #expect(lines.contains("org.test.bad 3 0 3 0 0 0% -"))
            #expect(lines.contains("org.test.good 1 1 0 0 0 100% -"))
            #expect(try await box.run("report", "--fail-on", "attention").code == 1)
            #expect(
                try await box.run("report", "org.test.good", "--fail-on", "failure").code == 0)
            let json = try await box.run("report", "org.test.bad", "--json").output
            let report = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
            let tasks = report?["tasks"] as? [[String: Any]]
            #expect(tasks?.count == 1)
            #expect(tasks?.first?["failed"] as? Int == 3)
            #expect(tasks?.first?["failuresInARow"] as? Int == 3)
        }
    }

    @Test("a report of an app that never ran has no problems")
    func emptyReport() async throws {
        try await Sandbox.with { box in
            try box.write(plugins: ["exec": try Built.plugin("exec")], tasks: Self.tasks)
            let report = try await box.run("report", "--fail-on", "attention")
            #expect(report.code == 0, "\(report.error)")
            #expect(report.output.contains("NEEDS ATTENTION\nnothing\n"))
            #expect(!FileManager.default.fileExists(atPath: box.state))
        }
    }

    @Test("reading commands leave the state directory of an ended app unchanged")
    func readOnly() async throws {
        try await withPast { box in
            let directory = box.state + "/org.test.app"
            func contents() throws -> [String: Data] {
                try FileManager.default.contentsOfDirectory(atPath: directory).reduce(into: [:]) {
                    $0[$1] = FileManager.default.contents(atPath: directory + "/" + $1)
                }
                // SQLite creates these files, empty, for readers.
                .filter {
                    !($0.key.hasSuffix("-wal") && $0.value.isEmpty) && !$0.key.hasSuffix("-shm")
                }
            }
            let before = try contents()
            for command in ["report", "history", "logs", "top", "doctor"] {
                try await box.run(command)
            }
            #expect(try contents() == before)
        }
    }

    // MARK: doctor

    private struct Finding: Decodable {
        var check: String
        var status: String
        var found: String
        var next: String?
    }

    private func doctor(_ box: Sandbox, _ arguments: String...) async throws -> (
        code: Int32, [Finding]
    ) {
        let end = try await box.run(
            ["doctor", "-m", box.manifest, "--state", box.state, "--json"] + arguments)
        return (end.code, try JSONDecoder().decode([Finding].self, from: Data(end.output.utf8)))
    }

    @Test("doctor reports no failure for a correct app")
    func healthy() async throws {
        try await Sandbox.withProbe("org.test.who: {kind: processing, handler: probe.who}") { box in
            try await box.run("run")
            let (code, findings) = try await doctor(box)
            #expect(code == 0, "\(findings)")
            #expect(!findings.contains { $0.status == "fail" })
            #expect(findings.contains { $0.check == "handlers" && $0.status == "ok" })
            #expect(findings.allSatisfy { $0.status == "ok" || $0.next != nil })
        }
    }

    @Test("a symptom selects its checks, in their order")
    func symptom() async throws {
        try await withPast { box in
            let (code, findings) = try await doctor(box, "--symptom", "not-permitted")
            #expect(code == 0)
            #expect(findings.map(\.check) == ["manifest", "identifiers"])
            let (failed, early) = try await doctor(box, "--symptom", "ends-early")
            #expect(failed == 1)
            #expect(early.first?.check == "failures")
            #expect(early.first?.found.contains("org.test.bad: failed") == true)
        }
    }

    @Test("doctor reports the state of the request of a revoked attempt")
    func takenBack() async throws {
        try await withPast { box in
            let path = box.state + "/org.test.app/bgrun.sqlite"
            func meaning() async throws -> String {
                try await box.start(["doctor", "-m", box.manifest, "--state", box.state]).end()
                    .output
            }
            #expect(try await box.run("submit", "org.test.bad").code == 0)
            _ = try HostileStoreTests.rows(
                path,
                "UPDATE history SET outcome = 'expired', reason = 'cancelled', reported = 0 "
                    + "WHERE attempt = 4")
            #expect(try await meaning().contains("revoked (cancelled); it is pending again"))
            #expect(try await box.run("cancel", "org.test.bad").code == 0)
            let text = try await meaning()
            #expect(text.contains("revoked (cancelled); its request was given up"), "\(text)")
        }
    }

    @Test("a handler that no plugin registers is named, with the registered handlers")
    func noHandler() async throws {
        try await Sandbox.withProbe("org.test.who: {kind: processing, handler: probe.whom}") {
            box in
            let (code, findings) = try await doctor(box, "--symptom", "no-handler")
            #expect(code == 1)
            let found = findings.first { $0.check == "handlers" }
            #expect(found?.status == "fail")
            #expect(
                found?.found.contains("the plugin \"probe\" has no handler \"whom\"; it registers ")
                    == true)
        }
    }

    @Test("force-quit, the refresh switch and an invalid manifest are found")
    func switches() async throws {
        try await withPast { box in
            try await box.run("quit", "--force")
            try await box.run("refresh", "off")
            let (code, findings) = try await doctor(box, "--symptom", "no-launch")
            #expect(code == 1)
            let failed = findings.filter { $0.status == "fail" }.map(\.check)
            #expect(failed == ["force-quit", "refresh"])
            try "bgrun: 1\n".write(toFile: box.manifest, atomically: true, encoding: .utf8)
            let (bad, all) = try await doctor(box)
            #expect(bad == 1)
            #expect(all.first?.check == "manifest")
            #expect(all.first?.next == "bgrun lint \(box.manifest)")
        }
    }

    @Test("a request that no task handles any more is found, with the nearest identifier")
    func undeclared() async throws {
        try await withPast { box in
            try box.changeManifest("org.test.power", to: "org.test.powers")
            let (code, findings) = try await doctor(box, "--symptom", "not-permitted")
            #expect(code == 1)
            #expect(
                findings.last?.found
                    == "no task handles org.test.power; did you mean \"org.test.powers\"?")
        }
    }
}
