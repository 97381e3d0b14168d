// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

@Suite("Pushes", .timeLimit(.minutes(5)))
struct PushTests {
    static let task = """
        org.test.changed:
          kind: push
          handler: probe.push
        """

    /// The messages that handlers have logged, in the order of the log.
    static func messages(_ lines: [String]) -> [String] {
        lines.compactMap { line in
            line.range(of: "message {\"album\":").map { String(line[$0.upperBound...]) }
        }.map { String($0.prefix { $0 != "," }) }
    }

    private static func payload(_ album: Int, _ more: String = "") -> String {
        "{\"album\": \(album)\(more)}"
    }

    /// Runs `body` after one push was launched, while the next one has to wait for an hour.
    private static func whileSpaced(
        _ hasHost: Bool, _ body: (Sandbox, _ host: Running?) async throws -> Void
    ) async throws {
        try await Sandbox.withProbe(task, rest: "policy: {push_spacing: 1h}") { box in
            try await box.run("push", "org.test.changed", "--payload", payload(0))
            try await box.run("run")
            let host = hasHost ? try box.start("run", "--stay") : nil
            try await host?.line("Background refresh is available")
            try await body(box, host)
            await host?.stop()
        }
    }

    private struct Answer: Decodable {
        var id: Int64?
        var request: Int64?
        var held: Int?
        var reason: String?
    }

    private static func answer(_ finished: Finished) throws -> Answer {
        try JSONDecoder().decode(Answer.self, from: Data(finished.output.utf8))
    }

    @Test("a push that was sent while no host ran is delivered by the next one")
    func withoutHost() async throws {
        try await Sandbox.withProbe(Self.task) { box in
            let push = try await box.run(
                "push", "org.test.changed", "--payload", Self.payload(7), "--json")
            #expect(push.code == 0, "\(push.error)")
            let answer = try Self.answer(push)
            #expect(answer.id == 1)
            #expect(answer.held == 1)
            #expect(try await box.pending().pending.map(\.id) == [answer.request])
            let run = try await box.run("run")
            #expect(
                run.error.contains(
                    "message {\"album\":7,\"aps\":{\"content-available\":1}} of none, priority 5"))
            #expect(
                run.error.contains(
                    "attempt with {\"push\":{\"album\":7,\"aps\":{\"content-available\":1}}}: 0"))
            let history = try await box.run("history")
            #expect(history.output.contains("completed (new-data)"), "\(history.output)")
            let again = try await box.run("run")
            #expect(!again.error.contains("message"), "it is delivered: \(again.error)")
        }
    }

    @Test("a push to a running host is on the disk when the command ends")
    func withHost() async throws {
        try await Sandbox.withProbe(Self.task) { box in
            let host = try await box.host("--stay")
            let push = try await box.run(
                "push", "org.test.changed", "--payload", Self.payload(3), "--collapse-id", "a b")
            #expect(push.code == 0, "\(push.error)")
            #expect(push.output.hasPrefix("Holding push 1 of org.test.changed (request 1"))
            try await host.line("of a b, priority 5")
            try await host.line("Task completed")
            #expect(await host.stop().code == 0)
        }
    }

    @Test("the result of a push is in the history, and `failed` is a failure")
    func results() async throws {
        try await Sandbox.withProbe(Self.task) { box in
            for (result, code) in [(0, 0), (1, 0), (2, 1)] as [(Int, Int32)] {
                try await box.run(
                    "push", "org.test.changed", "--payload",
                    Self.payload(1, ", \"result\": \(result)"))
                #expect(try await box.run("run").code == code)
            }
            let json = try await box.run("history", "--json").output
            struct Row: Decodable {
                var outcome: String
                var result: String?
            }
            let rows = try JSONDecoder().decode([Row].self, from: Data(json.utf8))
            #expect(rows.map(\.result) == ["failed", "no-data", "new-data"])
            #expect(rows.map(\.outcome) == ["failed", "completed", "completed"])
            let report = try await box.run("report").output
            #expect(report.contains("NEW DATA"), "\(report)")
        }
    }

    @Test("the messages of a failed attempt are delivered again to the next one")
    func again() async throws {
        try await Sandbox.withProbe(Self.task) { box in
            for (album, collapse) in [(1, "x"), (2, "y"), (3, "x")] {
                try await box.run(
                    "push", "org.test.changed", "--payload", Self.payload(album),
                    "--collapse-id", collapse)
            }
            try await box.run(
                "push", "org.test.changed", "--payload", Self.payload(4, ", \"result\": 2"))
            let first = try await box.run("run")
            #expect(first.code == 1)
            #expect(Self.messages(Self.lines(first)) == ["2", "3", "4"])
            try await box.run("push", "org.test.changed", "--payload", Self.payload(5))
            let second = try await box.run("run")
            #expect(second.code == 0)
            #expect(Self.messages(Self.lines(second)) == ["2", "3", "5"])
            try await box.run("push", "org.test.changed", "--payload", Self.payload(6))
            #expect(Self.messages(Self.lines(try await box.run("run"))) == ["6"])
        }
    }

    private static func lines(_ finished: Finished) -> [String] {
        finished.error.split(separator: "\n").map(String.init)
    }

    @Test("a message that arrives while an attempt runs is delivered to the next one")
    func meanwhile() async throws {
        try await Sandbox.withProbe(Self.task) { box in
            let gate = try box.gate("gate")
            let host = try await box.host("--stay")
            try await box.run(
                "push", "org.test.changed", "--payload", Self.payload(1, ", \"gate\": true"))
            try await host.line("attempt with")
            try await box.run("push", "org.test.changed", "--payload", Self.payload(2))
            gate.open()
            try await host.line("message {\"album\":2")
            #expect(Self.messages(Self.lines(await host.stop())) == ["1", "2"])
        }
    }

    @Test("messages survive a host that is killed while they are handled")
    func killed() async throws {
        try await Sandbox.withProbe(Self.task) { box in
            let gate = try box.gate("gate")
            let host = try await box.host("--stay")
            try await box.run(
                "push", "org.test.changed", "--payload", Self.payload(1, ", \"gate\": true"))
            try await host.line("attempt with")
            try await box.run(
                "push", "org.test.changed", "--payload", Self.payload(2), "--collapse-id", "x")
            await host.stop(SIGKILL)
            await box.expectNothingLeft()
            gate.open()
            let next = try await box.run("run")
            #expect(next.code == 0, "\(next.error)")
            #expect(Self.messages(Self.lines(next)).sorted() == ["1", "2"])
        }
    }

    @Test("messages survive a worker that is killed while it handles them")
    func killedWorker() async throws {
        try await Sandbox.withProbe(Self.task) { box in
            _ = try box.gate("gate")
            let host = try await box.host("--stay")
            try await box.run(
                "push", "org.test.changed", "--payload", Self.payload(1, ", \"gate\": true"),
                "--collapse-id", "x")
            try await host.line("attempt with")
            kill(try #require(box.workers.first).pid, SIGKILL)
            try await host.line("crashed with signal 9")
            try await box.run("push", "org.test.changed", "--payload", Self.payload(2))
            try await host.line("message {\"album\":2")
            #expect(Self.messages(Self.lines(await host.stop())) == ["1", "1", "2"])
        }
    }

    @Test("messages of a task that is given up after its retries are not delivered again")
    func gaveUp() async throws {
        try await Sandbox.withProbe(
            Self.task + "\n  retry: {from: 10s, attempts: 1}", rest: "policy: {profile: server}"
        ) { box in
            try await box.run(
                "push", "org.test.changed", "--payload", Self.payload(1, ", \"result\": 2"),
                "--collapse-id", "x")
            let first = try await box.run("run")
            #expect(first.error.contains("no further one is granted"), "\(first.error)")
            try await box.run("push", "org.test.changed", "--payload", Self.payload(2))
            #expect(Self.messages(Self.lines(try await box.run("run"))) == ["2"])
        }
    }

    @Test(
        "a force quit discards held messages, with and without a host, and reports them",
        arguments: [true, false])
    func forceQuit(hasHost: Bool) async throws {
        try await Self.whileSpaced(hasHost) { box, _ in
            try await box.run("push", "org.test.changed", "--payload", Self.payload(1))
            try await box.run("quit", "--force")
            #expect(try await box.pending().count == 0)
            // A later push waits until the user opens the app.
            let push = try await box.run(
                "push", "org.test.changed", "--payload", Self.payload(2), "--json")
            #expect(try Self.answer(push).held == 1)
            let explain = try await box.run("explain", "org.test.changed").output
            #expect(explain.contains("Dropped a push of org.test.changed: the app was force-quit"))
            #expect(explain.contains("MESSAGES HELD: 1"), "\(explain)")
            #expect(explain.contains("app-switcher"), "\(explain)")
        }
    }

    @Test("an expired message is dropped, and its request if no other message is left")
    func expires() async throws {
        try await Self.whileSpaced(true) { box, host in
            let push = try await box.run(
                "push", "org.test.changed", "--payload", Self.payload(1), "--expires", "1s")
            #expect(push.code == 0, "\(push.error)")
            try await host?.line("Dropped a push of org.test.changed: its expiration has come")
            #expect(try await box.pending().count == 0)
        }
    }

    @Test("a message that expired while no host ran is not delivered")
    func expiredMeanwhile() async throws {
        try await Sandbox.withProbe(Self.task) { box in
            try await box.run(
                "push", "org.test.changed", "--payload", Self.payload(1), "--collapse-id", "old",
                "--expires", "1ms")
            try await box.run("push", "org.test.changed", "--payload", Self.payload(2))
            let run = try await box.run("run")
            #expect(Self.messages(Self.lines(run)) == ["2"])
        }
    }

    @Test("a cancelled request drops its messages", arguments: [true, false])
    func cancelled(hasHost: Bool) async throws {
        try await Self.whileSpaced(hasHost) { box, _ in
            try await box.run("push", "org.test.changed", "--payload", Self.payload(1))
            try await box.run("cancel", "org.test.changed")
            let explain = try await box.run("explain", "org.test.changed").output
            #expect(explain.contains("MESSAGES HELD: 0"), "\(explain)")
            #expect(explain.contains("its request was cancelled"), "\(explain)")
        }
    }

    @Test(
        "a message that is not a silent push is refused with APNs' reason, with and without a host",
        arguments: [true, false])
    func refused(hasHost: Bool) async throws {
        let tasks =
            Self.task + """

                org.test.other:
                  kind: processing
                  handler: probe.who
                  submit: manual
                """
        try await Sandbox.withProbe(tasks) { box in
            let host = hasHost ? try box.start("run", "--stay") : nil
            try await host?.line("Background refresh is available")
            let big = "{\"x\": \"" + String(repeating: "x", count: 4_096) + "\"}"
            for (arguments, reason) in [
                (["org.test.changed", "--priority", "10"], "BadPriority"),
                (["org.test.changed", "--payload", big], "PayloadTooLarge"),
                (["org.test.changed", "--payload", "{\"aps\": {}}"], "InvalidPushType"),
                (["org.test.changed", "--collapse-id", ""], "BadCollapseId"),
                (["org.test.other"], "DeviceTokenNotForTopic"),
                (["org.test.unknown"], "BadDeviceToken"),
                (["com.other"], "TopicDisallowed"),
            ] as [([String], String)] {
                let command = ["push", "--manifest", box.manifest, "--state", box.state, "--json"]
                let push = try await box.start(command + arguments).end()
                #expect(push.code == 77, "\(arguments) \(push.error)")
                #expect(try Self.answer(push).reason == reason, "\(arguments)")
            }
            try await box.run("refresh", "off")
            let push = try await box.run("push", "org.test.changed")
            #expect(push.code == 77)
            #expect(push.error.contains("Unregistered: background refresh is denied"))
            #expect(try await box.pending().count == 0)
            await host?.stop()
        }
    }

    @Test("a push without its mode is refused")
    func withoutMode() async throws {
        try await Sandbox.withProbe(Self.task) { box in
            try box.changeManifest(", remote-notification", to: "")
            let push = try await box.run("push", "org.test.changed")
            #expect(push.code == 65, "the manifest says so already: \(push.error)")
            #expect(push.error.contains("missing-mode"))
        }
    }

    @Test("an attempt without a report in time is a missed completion, and delays the next one")
    func missed() async throws {
        try await Sandbox.withProbe(
            """
            org.test.changed:
              kind: push
              handler: probe.gate
              expiration: {after: 1s, grace: 0s}
            """, rest: "policy: {push_spacing: 0s, missed_completion_penalty: 20m}"
        ) { box in
            _ = try box.gate("gate")
            let host = try await box.host("--stay")
            try await box.run("push", "org.test.changed", "--payload", Self.payload(1))
            try await host.line("expired (time), without a report")
            let push = try await box.run("push", "org.test.changed", "--payload", Self.payload(2))
            #expect(push.code == 0)
            let explain = try await box.run("explain", "org.test.changed").output
            #expect(explain.contains("rate-limit"), "\(explain)")
            #expect(explain.contains("20m"), "\(explain)")
            #expect(explain.contains("MESSAGES HELD: 1"), "the newer one: \(explain)")
            await host.stop()
        }
    }

    @Test("the payload may come from a file and from standard input")
    func files() async throws {
        try await Sandbox.withProbe(Self.task) { box in
            let file = box.directory + "/payload.json"
            try Self.payload(8).write(toFile: file, atomically: true, encoding: .utf8)
            #expect(try await box.run("push", "org.test.changed", "--payload", file).code == 0)
            let piped = try box.startShell(
                "cat \(file) | \"$BGRUN\" push org.test.changed $OPTIONS --payload - --collapse-id x"
            )
            #expect(await piped.end().code == 0)
            let missing = try await box.run("push", "org.test.changed", "--payload", "nowhere.json")
            #expect(missing.code == 66)
            try "{\"album\":\n 8".write(toFile: file, atomically: true, encoding: .utf8)
            let malformed = try await box.run("push", "org.test.changed", "--payload", file)
            #expect(malformed.code == 64)
            #expect(
                malformed.error.hasPrefix(
                    "bgrun: --payload: \(file): invalid JSON at line 2, column 3: expected "),
                "\(malformed.error)")
            #expect(Self.messages(Self.lines(try await box.run("run"))) == ["8", "8"])
        }
    }
}
