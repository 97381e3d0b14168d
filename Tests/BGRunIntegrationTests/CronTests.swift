// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

@Suite("One run under cron or a timer", .timeLimit(.minutes(5)))
struct CronTests {
    private func start(_ box: Sandbox, _ more: String...) throws -> Running {
        try box.start(
            ["--manifest", box.apps + "/one.yaml", "--state", box.state, "--once"] + more)
    }

    @Test("with --quiet prints nothing after success")
    func success() async throws {
        try await Sandbox.with { box in
            try box.writeApp("one", "echo hello; echo careful >&2")
            let finished = try await start(box, "--quiet").end()
            #expect(finished.code == 0)
            #expect(finished.output == "" && finished.error == "")
        }
    }

    @Test("with --quiet prints each failure with its last lines, and where to find the other lines")
    func failure() async throws {
        try await Sandbox.with { box in
            try box.writeApp("one", "seq 30; exit 3")
            let finished = try await start(box, "--quiet").end()
            #expect(finished.code == 1)
            #expect(finished.output == "")
            let options = "-m \(box.apps)/one.yaml --state \(box.state)"
            #expect(
                finished.error == """
                    bgrun: Task completed without success with identifier org.test.one.run: exit status 3
                    The last lines of its output:
                    \((11...30).map { "  \($0)\n" }.joined())\
                    More of its output: bgrun history \(options) --output 1
                    bgrun: Gave up a request of the task with identifier org.test.one.run: its last attempt failed, and no further \
                    one is granted

                    """)
            let all = try await box.startShell("$BGRUN history \(options) --output 1").end()
            #expect(all.code == 0 && all.output.contains("1\n2\n3\n"))
        }
    }

    @Test("with --quiet names no command for the rest of the output of a failure without output")
    func failureWithoutOutput() async throws {
        try await Sandbox.with { box in
            try box.writeApp("one", "exit 3")
            let finished = try await start(box, "--quiet").end()
            #expect(finished.code == 1 && finished.error.contains("exit status 3\nbgrun: Gave up"))
            #expect(!finished.error.contains("More of its output"), "\(finished.error)")
        }
    }

    @Test("with --quiet prints the end of long output, and marks missing lines")
    func longOutput() async throws {
        try await Sandbox.with { box in
            try box.writeApp("one", "seq 1 5000; echo ERROR: disk sdb is gone; exit 1")
            let finished = try await start(box, "--quiet").end()
            #expect(finished.code == 1)
            #expect(
                finished.error.contains("  5000\n  ERROR: disk sdb is gone\nMore of its output"))
            let options = "-m \(box.apps)/one.yaml --state \(box.state)"
            let gap = "... 4001 lines were not kept (output_lines) ..."
            let kept = try await box.startShell("$BGRUN history \(options) --output 1").end()
            let numbers = (1...500).map(String.init) + [gap] + (4_502...5_000).map(String.init)
            let all = numbers + ["ERROR: disk sdb is gone"]
            #expect(kept.output == all.joined(separator: "\n") + "\n")
            let logs = try await box.startShell("$BGRUN logs \(options) -n 600").end().output
            let lines = logs.split(separator: "\n").map { $0.drop { $0 != "]" }.dropFirst(2) }
            #expect(lines == all.suffix(601).map { $0[...] })
            let json = try await box.startShell("$BGRUN history \(options) --output 1 --json")
                .end().output
            #expect(try Self.skipped(json) == [500: 4_001])
            let logged = try await box.startShell("$BGRUN logs \(options) -n 600 --json").end()
            let objects = logged.output.split(separator: "\n").joined(separator: ",")
            #expect(try Self.skipped("[\(objects)]") == [100: 4_001])
        }
    }

    @Test("prints failures at once with --quiet on its own; a host writes log lines instead")
    func withoutOnce() async throws {
        try await Sandbox.with { box in
            try box.writeApp("one", "echo woe; exit 3")
            let host = try box.start(
                ["--manifest", box.apps + "/one.yaml", "--state", box.state, "--quiet"])
            let finished = await host.end()
            #expect(finished.error.contains(" error: Task completed without success"))
            #expect(!finished.error.contains("The last lines of its output"))
        }
    }

    @Test(
        "exits with 75 if another one runs, and with --wait-lock with 0 after the other has ended"
    )
    func lock() async throws {
        try await Sandbox.with { box in
            let gate = try box.gate("gate")
            try box.writeApp("one", "read x < \(gate.path)")
            let first = try start(box)
            try await first.line("Starting task")
            let patient = try start(box, "--wait-lock", "10m")
            #expect(try await start(box).end().code == 75)
            gate.open()
            #expect(await first.end().code == 0)
            try await patient.line("Starting task")
            gate.open()
            #expect(await patient.end().code == 0)
        }
    }

    /// The field `skipped` of the objects that have it, by their index in the list.
    private static func skipped(_ json: String) throws -> [Int: Int64] {
        struct Line: Decodable {
            var skipped: Int64?
        }
        let lines = try JSONDecoder().decode([Line].self, from: Data(json.utf8))
        return lines.enumerated().reduce(into: [:]) { $0[$1.offset] = $1.element.skipped }
    }
}
