// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

@Suite("Schedules and other triggers of tasks", .timeLimit(.minutes(5)))
struct ScheduleTests {
    /// A task that prints "ran", with further lines.
    private func task(_ lines: String) -> String {
        "org.test.a: {kind: processing, handler: exec.run, "
            + "parameters: {argv: [echo, ran]}, \(lines)}"
    }

    @Test("a cron task waits for its date, keeps it across restarts, and then runs")
    func cron() async throws {
        try await Sandbox.with { box in
            try box.write(plugins: ["exec": "exec"], tasks: task("cron: '*/2 * * * * *'"))
            let host = try await box.host(until: "Starting task")
            try await host.line("Starting task", after: host.errorLines.count)
            #expect(await host.stop().code == 0)
            #expect(try await box.pending().pending.map(\.identifier) == ["org.test.a"])
        }
    }

    @Test("the start of a host runs nothing, and `explain` shows the next date")
    func start() async throws {
        try await Sandbox.with { box in
            try box.write(
                plugins: ["exec": "exec"],
                tasks: task("cron: '0 0 29 2 *', start_deadline: 10m"))
            #expect(try await box.run("run", "--once").code == 0)
            #expect(try await box.history().isEmpty)
            let explanation = try await box.run("explain", "org.test.a").output
            #expect(explanation.contains("earliest"))
            #expect(explanation.contains("deadline"))
        }
    }

    @Test(
        "explain of a task that is not pending lists its triggers, with and without a host",
        arguments: [
            ("every: 1h", ["the next start of its host, with which its schedule continues"]),
            ("submit: manual", []),
            (
                "on: {path: ./in, resume: true}",
                [
                    "the end of the machine's next sleep, while a host runs",
                    "a change of DIRECTORY/in, while a host runs",
                ]
            ),
            ("on: {socket: ./s}", ["a connection to DIRECTORY/s, while a host runs"]),
        ])
    func submittedBy(_ lines: String, _ sources: [String]) async throws {
        try await Sandbox.with { box in
            try box.write(plugins: ["exec": "exec"], tasks: task(lines))
            let person = "bgrun submit -m \(box.manifest) --state \(box.state) org.test.a"
            let all = sources.map { $0.replacing("DIRECTORY", with: box.directory) } + [person]
            let said = "SUBMITTED BY\n" + all.joined(separator: "\n") + "\n"
            let host = try await box.host("--stay", until: "Background refresh is ")
            // The end of the attempt submits the next request, which is cancelled, too.
            if lines.hasPrefix("every") { try await host.line("Task completed") }
            _ = try await box.run("cancel", "org.test.a")
            let explanation = try await box.run("explain", "org.test.a").output
            #expect((explanation + "\n").contains(said), "\(explanation)")
            #expect(await host.stop().code == 0)
            let later = try await box.run("explain", "org.test.a").output
            #expect((later + "\n").contains(said), "\(later)")
            // The host submits it again.
            if lines.hasPrefix("every") {
                let next = try await box.host("--stay", until: "Background refresh is ")
                let pending = try await box.run("explain", "org.test.a").output
                #expect(pending.contains("has been pending since"), "\(pending)")
                #expect(!pending.contains("SUBMITTED BY"), "\(pending)")
                await next.stop()
            }
        }
    }

    @Test(
        "a schedule whose request is cancelled rests, as cancel, next and doctor report",
        arguments: ["org.test.a", "--all"])
    func rests(_ cancelled: String) async throws {
        try await Sandbox.with { box in
            try box.write(
                plugins: ["exec": "exec"],
                tasks: task("cron: '0 0 29 2 *'")
                    + "\norg.test.m: {kind: processing, handler: exec.run, submit: manual, "
                    + "parameters: {command: 'true'}, cron: '0 0 29 2 *'}")
            let host = try await box.host("--stay", until: "Background refresh is ")
            let rests = "  at rest (no pending request): continues when "
            let mark = rests + "the host starts again or somebody submits it"
            let manual = rests + "somebody submits it"
            let warning = "org.test.a: its schedule rests"
            #expect(try await !box.run("next", "org.test.a").output.contains("rests"))
            #expect(try await box.run("next").output.contains("\n\(manual)\n"))
            #expect(try await !box.run("doctor").output.contains("its schedule rests"))
            let cancel = try await box.run("cancel", cancelled)
            let said =
                cancelled == "--all"
                ? "2 schedules rest until somebody submits them"
                : "its schedule rests until the host starts again or somebody submits it; "
                    + "a start now would submit it for "
            #expect(cancel.output.hasPrefix("Cancelled 1 request; \(said)"), "\(cancel.output)")
            #expect(cancelled == "--all" || cancel.output.hasSuffix("-02-29 00:00:00\n"))
            let resting = try await box.run("next").output
            #expect(resting.contains("org.test.a: 0 0 29 2 *\n\(mark)\n"), "\(resting)")
            let doctor = try await box.run("doctor").output
            #expect(doctor.contains("warn  waiting       \(warning)\n"), "\(doctor)")
            #expect(!doctor.contains("org.test.m"), "\(doctor)")
            #expect(try await box.run("submit", "org.test.a").code == 0)
            #expect(try await !box.run("next", "org.test.a").output.contains("rests"))
            #expect(try await !box.run("doctor").output.contains("its schedule rests"))
            await host.stop()
            // Without a host, too.
            let later = try await box.run("cancel", "org.test.a").output
            #expect(
                later.contains("; its schedule rests until a host starts or somebody"), "\(later)")
            #expect(later.hasSuffix("-02-29 00:00:00\n"), "\(later)")
            #expect(
                try await box.run("next", "org.test.a").output.contains(
                    "\n\(rests)a host starts or somebody submits it\n"))
            #expect(try await !box.run("doctor").output.contains("its schedule rests"))
        }
    }

    @Test("next lists a task with `every` beside calendars: that it is due, when, or that it rests")
    func nextOfEvery() async throws {
        try await Sandbox.with { box in
            try box.write(
                plugins: ["exec": "exec"],
                tasks: task("every: 1d").replacing("org.test.a", with: "org.test.every") + "\n"
                    + task("cron: '0 0 29 2 *'"))
            let every = ["next", "org.test.every", "-m", box.manifest, "--state", box.state]
            let line = "org.test.every: every 1d"
            #expect(try await box.start(every).end().output == "\(line): see `bgrun pending`\n")
            #expect(
                try await box.run("next").output.hasSuffix("\n\n\(line): see `bgrun pending`\n"))
            #expect(try await box.run("run", "--once").code == 0)
            let due = try await box.start(every).end().output
            #expect(due.hasPrefix("\(line), due at 20"), "\(due)")
            #expect(try await box.run("cancel", "org.test.every").code == 0)
            let rests = try await box.start(every).end().output
            #expect(rests.hasPrefix("\(line)\n  at rest (no pending request): "), "\(rests)")
        }
    }

    @Test("cancel prints the date without its jitter, which is drawn when a host starts")
    func jitter() async throws {
        try await Sandbox.with { box in
            try box.write(
                plugins: ["exec": "exec"], tasks: task("cron: '0 0 29 2 *', jitter: 7d"))
            #expect(try await box.run("submit", "org.test.a").code == 0)
            let cancel = try await box.run("cancel", "org.test.a").output
            #expect(cancel.contains("; a start now would submit it for "), "\(cancel)")
            #expect(cancel.hasSuffix("-02-29 00:00:00 or up to 7d later\n"), "\(cancel)")
        }
    }

    @Test("doctor names a schedule whose dates are all past, unless a request waits")
    func past() async throws {
        try await Sandbox.with { box in
            try box.write(
                plugins: ["exec": "exec"],
                tasks: task("calendar: '2020-01-01 10:00'")
                    .replacing("org.test.a", with: "org.test.p")
                    + "\n" + task("calendar: ['2020-01-01 10:00', '*-02-29']"))
            let warning = "its schedule has no date left"
            let doctor = try await box.run("doctor").output
            #expect(doctor.contains("warn  waiting       org.test.p: \(warning)\n"), "\(doctor)")
            #expect(!doctor.contains("org.test.a: \(warning)"), "\(doctor)")
            #expect(try await box.run("submit", "org.test.p", "--after", "1h").code == 0)
            #expect(try await !box.run("doctor").output.contains(warning))
        }
    }

    @Test("cancel of a task without a schedule, or with an attempt, reports no rest")
    func cancelsWithoutRest() async throws {
        try await Sandbox.with { box in
            try box.write(
                plugins: ["exec": "exec"], rest: "policy: {profile: server}",
                tasks: task("submit: manual")
                    + "\norg.test.b: {kind: processing, handler: exec.run, "
                    + "every: 1h, parameters: {command: 'echo up; exec sleep 1000'}}")
            _ = try await box.host("--stay", until: "[org.test.b] up")
            #expect(try await !box.run("doctor").output.contains("its schedule rests"))
            #expect(try await box.run("submit", "org.test.b").code == 0)
            #expect(try await box.run("cancel", "org.test.b").output == "Cancelled 1 request\n")
            #expect(try await box.run("submit", "org.test.a", "--after", "1h").code == 0)
            #expect(try await box.run("cancel", "org.test.a").output == "Cancelled 1 request\n")
        }
    }

    @Test("explain of a wildcard lists a submit command with a placeholder")
    func submittedByName() async throws {
        try await Sandbox.with { box in
            try box.write(
                plugins: ["exec": "exec"],
                tasks: task("submit: manual").replacing("org.test.a:", with: "org.test.many.*:"))
            let explanation = try await box.run("explain", "org.test.many.*").output
            let command = "bgrun submit -m \(box.manifest) --state \(box.state) org.test.many.NAME"
            #expect((explanation + "\n").contains("SUBMITTED BY\n\(command)\n"), "\(explanation)")
            #expect(try await box.run("submit", "org.test.many.NAME").code == 0)
        }
    }

    @Test("explain lists the triggers of the task, not those of a wildcard declared earlier")
    func submittedByExact() async throws {
        try await Sandbox.with { box in
            let wildcard = task("submit: manual")
                .replacing("org.test.a:", with: "org.test.many.*:")
            try box.write(
                plugins: ["exec": "exec"],
                tasks: wildcard + "\n"
                    + task("on: {path: ./in}")
                    .replacing("org.test.a:", with: "org.test.many.a:"))
            let explanation = try await box.run("explain", "org.test.many.a").output
            let change = "a change of \(box.directory)/in, while a host runs"
            #expect(explanation.contains("SUBMITTED BY\n\(change)\n"), "\(explanation)")
        }
    }

    @Test("a date that could not be launched in time is in the log and in the report")
    func missed() async throws {
        try await Sandbox.with { box in
            try box.write(
                plugins: ["exec": "exec"],
                tasks: task("cron: '*/2 * * * * *', catch_up: none, requires: {power: external}"))
            let host = try box.start("run", "--stay")
            try await host.line("Missed a date of the task with identifier org.test.a")
            #expect(await host.stop().code == 0)
            let report = try await box.run("report").output
            #expect(
                report.contains(#/org\.test\.a: \d+ dates? (was|were) skipped, the last one/#),
                "\(report)")
        }
    }

    @Test("a file or directory that changes or is created submits its task")
    func path() async throws {
        try await Sandbox.with { box in
            try box.write(
                plugins: ["exec": "exec"], rest: "policy: {changes_settle: 50ms}",
                tasks: task("on: {path: ./inbox}"))
            let host = try await box.host()
            let inbox = box.directory + "/inbox"
            try FileManager.default.createDirectory(
                atPath: inbox, withIntermediateDirectories: false)
            try await host.line("Task completed")
            let count = host.errorLines.count
            for name in ["1", "2", "3"] {
                try "new".write(toFile: inbox + "/" + name, atomically: false, encoding: .utf8)
            }
            try await host.line("Task completed", after: count)
            #expect(await host.stop().code == 0)
            #expect(try await box.history().allSatisfy { $0.outcome == "completed" })
        }
    }

    @Test("a change while the task runs is not lost: the task runs again")
    func changeDuringAttempt() async throws {
        try await Sandbox.with { box in
            let file = box.directory + "/seen"
            try "one".write(toFile: file, atomically: true, encoding: .utf8)
            try box.write(
                plugins: ["exec": "exec"], rest: "policy: {changes_settle: 0s}",
                tasks: """
                    org.test.a:
                      kind: processing
                      handler: exec.run
                      parameters: {argv: [sh, -c, "echo $(cat seen); while ! [ -e go ]; do sleep 0.01; done"]}
                      on: {path: ./seen}
                    """)
            let host = try await box.host()
            try "two".write(toFile: file, atomically: true, encoding: .utf8)
            try await host.line("two")
            let count = host.errorLines.count
            try "three".write(toFile: file, atomically: true, encoding: .utf8)
            try await host.line("Scheduling task", after: count)
            try "".write(toFile: box.directory + "/go", atomically: true, encoding: .utf8)
            try await host.line("three")
            await host.stop()
        }
    }

    @Test("`on: launch` runs at each start of a host")
    func launch() async throws {
        try await Sandbox.with { box in
            try box.write(plugins: ["exec": "exec"], tasks: task("on: {launch: true}"))
            #expect(try await box.run("run").code == 0)
            #expect(try await box.run("run").code == 0)
            #expect(try await box.history().count == 2)
        }
    }
}
