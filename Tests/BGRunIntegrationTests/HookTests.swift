// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

@Suite("Hooks", .timeLimit(.minutes(5)))
struct HookTests {
    /// The lines a hook has written to the file `out`.
    private static func out(_ box: Sandbox, _ name: String = "out") -> [String] {
        let text = (try? String(contentsOfFile: box.directory + "/" + name, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map(String.init)
    }

    private static func write(
        _ box: Sandbox, hooks: String, tasks: String, policy: String = "{profile: server}"
    ) throws {
        let lines = hooks.split(separator: "\n").map { "  \($0)\n" }.joined()
        try box.write(
            plugins: ["exec": try Built.plugin("exec")],
            rest: "policy: \(policy)\nhooks:\n\(lines)", tasks: tasks)
    }

    private static let failing = """
        org.test.bad:
          kind: processing
          handler: exec.run
          parameters: {command: "echo some output; exit 3"}
          retry: never
        """

    @Test("a failure runs its hook once with its details, and the host waits for the hook")
    func failure() async throws {
        try await Sandbox.with { box in
            try Self.write(
                box,
                hooks: """
                    - on: failed
                      run:
                        command: |
                          echo "$BGRUN_EVENT $BGRUN_APP $BGRUN_IDENTIFIER $BGRUN_ATTEMPT" >> out
                          echo "$BGRUN_OUTCOME/$BGRUN_REASON/$BGRUN_MESSAGE/$BGRUN_FAILURES" >> out
                          echo "$BGRUN_SUBJECT" >> out
                          cat >> out
                          echo said by the hook
                    - on: [completed, recovered, expired]
                      run: echo never >> out
                    """, tasks: Self.failing)
            let run = try await box.run("run", "--once")
            #expect(run.code == 1, "the task has failed; \(run.error)")
            let lines = Self.out(box)
            try #require(lines.count == 4, "\(lines) \(run.error)")
            #expect(lines[0] == "failed org.test.app org.test.bad 1")
            #expect(lines[1] == "failed//exit status 3/1")
            #expect(lines[2] == "bgrun: org.test.bad failed: exit status 3")
            let event = try #require(
                try JSONSerialization.jsonObject(with: Data(lines[3].utf8)) as? [String: Any])
            #expect(event["output"] as? [String] == ["some output"])
            #expect(event["manifest"] as? String == box.manifest)
            #expect(run.error.contains("[hook] said by the hook"))
            await box.expectNothingLeft()
            #expect(try await box.history().count == 1, "a hook is not an attempt of the app")
        }
    }

    @Test("`after` and `every` count across hosts, and a success is reported as recovery")
    func manyRuns() async throws {
        try await Sandbox.with { box in
            try Self.write(
                box,
                hooks: """
                    - on: [failed, recovered]
                      after: 2
                      run: echo "$BGRUN_EVENT $BGRUN_FAILURES" >> out
                    - on: failed
                      every: 1h
                      run: echo "$BGRUN_EVENT $BGRUN_FAILURES" >> limited
                    """,
                tasks: """
                    org.test.bad:
                      kind: processing
                      handler: exec.run
                      parameters: {command: "test -e good"}
                      retry: never
                    """)
            for _ in 0..<3 { try await box.run("run", "--once") }
            #expect(Self.out(box) == ["failed 2", "failed 3"])
            #expect(Self.out(box, "limited") == ["failed 1"])
            try "".write(toFile: box.directory + "/good", atomically: true, encoding: .utf8)
            for _ in 0..<2 { try await box.run("run", "--once") }
            #expect(Self.out(box) == ["failed 2", "failed 3", "recovered 3"])
        }
    }

    @Test("a hook whose host is killed is run by the next one")
    func killedHost() async throws {
        try await Sandbox.with { box in
            try Self.write(
                box,
                hooks: """
                    - on: failed
                      run: "echo began; read line < gate; echo \\"$BGRUN_ATTEMPT $line\\" >> out"
                    - on: failed
                      run: echo "second $BGRUN_ATTEMPT" >> out
                    """, tasks: Self.failing)
            let gate = try box.gate("gate")
            let first = try await box.host("--once", until: "[hook] began")
            await first.stop(SIGKILL)
            await box.expectNothingLeft()
            #expect(Self.out(box).isEmpty)

            try box.changeManifest("retry", to: "submit: manual\n    retry")
            gate.open("again")
            let second = try await box.run("run", "--once")
            #expect(second.code == 0, "\(second.error)")
            #expect(Self.out(box) == ["1 again", "second 1"])
            try await box.run("run", "--once")
            #expect(Self.out(box).count == 2, "and by no other")
        }
    }

    @Test("a hook that does not end is killed with its processes, and the next one runs")
    func hanging() async throws {
        try await Sandbox.with { box in
            try Self.write(
                box,
                hooks: """
                    - on: failed
                      timeout: 1s
                      run: "setsid sleep 1000 & trap '' TERM; sleep 1000"
                    - on: failed
                      run: echo next >> out
                    """, tasks: Self.failing)
            let run = try await box.run("run", "--once")
            #expect(run.error.contains("The hook on failed of org.test.bad expired (time)"))
            #expect(Self.out(box) == ["next"])
            await box.expectNothingLeft()
        }
    }

    @Test("a hook that fails is logged, and no task fails")
    func failingHook() async throws {
        try await Sandbox.with { box in
            try Self.write(
                box,
                hooks: """
                    - on: [completed, failed]
                      run: "echo \\"$BGRUN_EVENT\\" >> out; exit 7"
                    """,
                tasks: """
                    org.test.good:
                      kind: processing
                      handler: exec.run
                      parameters: {command: "true"}
                    """)
            let run = try await box.run("run", "--once")
            #expect(run.code == 0)
            #expect(
                run.error.contains("The hook on completed of org.test.good failed: exit status 7"))
            #expect(Self.out(box) == ["completed"])
        }
    }

    @Test("with --once --quiet a failed hook is printed with its last lines, others are not")
    func quietFailure() async throws {
        try await Sandbox.with { box in
            try Self.write(
                box,
                hooks: """
                    - {on: completed, run: echo fine}
                    - {on: completed, run: "seq 30; exit 7"}
                    - {on: completed, run: "exit 8"}
                    """,
                tasks: """
                    org.test.good:
                      kind: processing
                      handler: exec.run
                      parameters: {command: "true"}
                    """)
            let run = try await box.run("run", "--once", "--quiet")
            #expect(run.code == 0)
            #expect(
                run.error == """
                    bgrun: The hook on completed of org.test.good failed: exit status 7
                    The last lines of its output:
                    \((11...30).map { "  \($0)\n" }.joined())\
                    bgrun: The hook on completed of org.test.good failed: exit status 8

                    """)
        }
    }

    @Test("a request whose condition never holds is reported as starved once")
    func starved() async throws {
        try await Sandbox.with { box in
            try Self.write(
                box,
                hooks: """
                    - on: starved
                      waiting: 1s
                      run: echo "$BGRUN_EVENT/$BGRUN_REASON" >> out; echo told
                    """,
                tasks: """
                    org.test.hungry:
                      kind: processing
                      handler: exec.run
                      parameters: {command: "true"}
                      requires: {power: external}
                    """)
            let host = try await box.host("--stay", until: "[hook] told")
            #expect(await host.stop().code == 0)
            #expect(Self.out(box) == ["starved/waits for power: external"])
            let again = try await box.host("--stay")
            await again.stop()
            #expect(Self.out(box).count == 1)
        }
    }

    @Test(
        "under cron a starving request is reported, but not one that is launched in the end")
    func starvedUnderCron() async throws {
        try await Sandbox.with { box in
            try Self.write(
                box, hooks: "- {on: starved, waiting: 1s, run: echo $BGRUN_IDENTIFIER >> out}",
                tasks: """
                    org.test.hungry:
                      kind: processing
                      handler: exec.run
                      parameters: {command: "true"}
                      requires: {power: external}
                    org.test.fed:
                      kind: processing
                      handler: exec.run
                      parameters: {command: "true"}
                      every: 1s
                    """)
            while Self.out(box).isEmpty { try await box.run("run", "--once") }
            for _ in 0..<3 { try await box.run("run", "--once") }
            #expect(Self.out(box) == ["org.test.hungry"])
        }
    }

    @Test("a host that ends lets its hook finish and leaves the others to the next host")
    func shutdown() async throws {
        try await Sandbox.with { box in
            try Self.write(
                box,
                hooks: """
                    - on: failed
                      run: "echo began; read line < gate; echo first >> out"
                    - on: failed
                      run: echo second >> out
                    """, tasks: Self.failing)
            let gate = try box.gate("gate")
            let host = try await box.host("--stay", until: "[hook] began")
            host.signal(SIGTERM)
            gate.open()
            await host.end()
            #expect(Self.out(box) == ["first"])
            try box.changeManifest("retry", to: "submit: manual\n    retry")
            try await box.run("run", "--once")
            #expect(Self.out(box) == ["first", "second"])
        }
    }

    @Test("a second signal kills the running hook, which the next host runs")
    func secondSignal() async throws {
        try await Sandbox.with { box in
            try Self.write(
                box,
                hooks: """
                    - on: failed
                      run: "echo began; test -e again || sleep 1000; echo done >> out"
                    """, tasks: Self.failing)
            let host = try await box.host("--stay", until: "[hook] began")
            host.signal(SIGTERM)
            try await host.line("Waiting for the hook that runs")
            await host.stop()
            await box.expectNothingLeft()
            try "".write(toFile: box.directory + "/again", atomically: true, encoding: .utf8)
            try box.changeManifest("retry", to: "submit: manual\n    retry")
            try await box.run("run", "--once")
            #expect(Self.out(box) == ["done"])
        }
    }

    @Test("hooks of a changed manifest apply at once, and removed ones are not run")
    func reload() async throws {
        try await Sandbox.with { box in
            try Self.write(
                box,
                hooks: """
                    - on: failed
                      run: "echo began; read line < gate; echo first >> out"
                    - on: failed
                      run: echo never >> out
                    """, tasks: Self.failing)
            let gate = try box.gate("gate")
            let host = try await box.host("--stay", until: "[hook] began")
            try Self.write(
                box,
                hooks: """
                    - on: gave-up
                      run: echo "second $BGRUN_ATTEMPT" >> out; echo told
                    """, tasks: Self.failing)
            try await host.line("The changed manifest is in effect")
            gate.open()
            #expect(try await box.run("trigger", "org.test.bad").code == 0)
            try await host.line("[hook] told")
            await host.stop()
            #expect(Self.out(box) == ["first", "second 2"])
        }
    }

    @Test("the mail about a quiet run reports a failed hook")
    func quiet() async throws {
        try await Sandbox.with { box in
            try Self.write(box, hooks: "- {on: failed, run: exit 9}", tasks: Self.failing)
            let run = try await box.run("run", "--once", "--quiet")
            #expect(run.error.contains("The hook on failed of org.test.bad failed: exit status 9"))
            #expect(!run.error.contains("Running the hook"))
            let explained = try await box.run("explain", "org.test.bad")
            #expect(explained.output.contains("The hook on failed of org.test.bad failed"))
        }
    }

    @Test("a rehearsal runs no hook, and logs those that would run")
    func simulated() async throws {
        try await Sandbox.with { box in
            try Self.write(
                box, hooks: "- {on: failed, run: echo never >> out}", tasks: Self.failing)
            try box.write(scenario: "duration: 1h")
            let run = try await box.rehearse()
            #expect(run.error.contains("would run the hook on failed of org.test.bad"), "\(run)")
            #expect(Self.out(box).isEmpty)
        }
    }

    @Test("`hooks test` runs the hooks of an event with a sample, but no task of the app")
    func sample() async throws {
        try await Sandbox.with { box in
            try Self.write(
                box,
                hooks: """
                    - {on: failed, after: 5, run: "echo \\"$BGRUN_SUBJECT\\""}
                    - {on: starved, run: exit 2}
                    """, tasks: Self.failing)
            func test(_ words: String...) async throws -> Finished {
                try await box.start(["hooks", "test", "-m", box.manifest, "--on"] + words).end()
            }
            let good = try await test("failed")
            #expect(good.code == 0)
            #expect(
                good.output == """
                      bgrun: org.test.bad failed (5 times in a row): a sample of bgrun hooks test
                    run: completed

                    """)
            #expect(try await test("failed", "--task", "org.test.bad").output == good.output)
            let bad = try await test("starved")
            #expect(bad.code == 1)
            #expect(bad.output == "run `exit 2`: failed: exit status 2\n")
            #expect(try await test("skipped").code == 66)
            #expect(try await test("nonsense").code == 64)
            #expect(!FileManager.default.fileExists(atPath: box.state))
        }
    }
}
