// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

@Suite("Tags of requests", .timeLimit(.minutes(5)))
struct TagTests {
    private static let tasks = """
        org.test.a: {kind: processing, handler: exec.run, parameters: {command: 'true'}, submit: manual, tags: [sync]}
        org.test.b: {kind: processing, handler: exec.run, parameters: {command: 'true'}, submit: manual}
        """

    private struct Tagged: Decodable {
        struct Annotations: Decodable { var tags: [String] }
        var identifier: String
        var annotations: Annotations?
    }
    private struct List: Decodable {
        var pending: [Tagged]
        var count: Int
    }

    /// The pending requests with their tags, filtered by `tag`.
    private func pending(_ box: Sandbox, tag: String? = nil) async throws -> [String: [String]] {
        let all = ["pending", "--manifest", box.manifest, "--state", box.state, "--json"]
        let finished = try await box.start(all + (tag.map { ["--tag", $0] } ?? [])).end()
        try #require(finished.code == 0, "\(finished.error)")
        let list = try JSONDecoder().decode(List.self, from: Data(finished.output.utf8))
        #expect(list.count == list.pending.count)
        return Dictionary(
            uniqueKeysWithValues: list.pending.map { ($0.identifier, $0.annotations?.tags ?? []) })
    }

    @Test(
        "with and without a host, requests are submitted, listed and cancelled by tags",
        arguments: [false, true])
    func commands(hasHost: Bool) async throws {
        try await Sandbox.withPlugin("exec", rest: "policy: {profile: server}", tasks: Self.tasks) {
            box in
            let host = hasHost ? try box.start("run", "--stay") : nil
            try await host?.line("Background refresh is ")
            for words in [
                ["org.test.a", "--tag", "nightly", "--tag", "nightly"],
                ["org.test.b", "--tag", "x"],
            ] {
                let submit = [
                    "submit", "--manifest", box.manifest, "--state", box.state, "--after", "1h",
                ]
                let finished = try await box.start(submit + words).end()
                try #require(finished.code == 0, "\(finished.error)")
            }
            #expect(
                try await pending(box) == ["org.test.a": ["nightly", "sync"], "org.test.b": ["x"]])
            #expect(try await pending(box, tag: "sync") == ["org.test.a": ["nightly", "sync"]])
            #expect(try await pending(box, tag: "nothing").isEmpty)
            let table = try await box.run("pending")
            #expect(table.output.contains("TAGS"), "\(table.output)")
            #expect(table.output.contains("nightly, sync"), "\(table.output)")
            let explained = try await box.run("explain", "org.test.a")
            #expect(explained.output.contains("\ntags: nightly, sync\n"), "\(explained.output)")
            let none = try await box.run("cancel", "--tag", "nothing")
            #expect(none.code == 1 && none.output.hasPrefix("Cancelled 0 requests"))
            let two = try await box.run("cancel", "--tag", "nothing", "--tag", "sync")
            #expect(two.code == 64 && two.error.contains("--tag is given 2 times"), "\(two.error)")
            let cancelled = try await box.run("cancel", "--tag", "sync")
            #expect(cancelled.code == 0 && cancelled.output == "Cancelled 1 request\n")
            #expect(try await pending(box) == ["org.test.b": ["x"]])
            await host?.stop()
        }
    }

    @Test("tags survive kill -9 of the host, and reach the attempt's history and the log")
    func survival() async throws {
        try await Sandbox.withPlugin("exec", rest: "policy: {profile: server}", tasks: Self.tasks) {
            box in
            let first = try await box.host("--stay", until: "Background refresh is ")
            try await box.run("submit", "org.test.a", "--tag", "nightly", "--after", "1h")
            try await first.line("Scheduling task with identifier org.test.a (tags: nightly, sync)")
            await first.stop(SIGKILL)
            #expect(try await pending(box) == ["org.test.a": ["nightly", "sync"]])
            let second = try await box.host("--stay", until: "Background refresh is ")
            #expect(try await pending(box, tag: "nightly") == ["org.test.a": ["nightly", "sync"]])
            try await box.run("trigger", "org.test.a")
            try await second.line("Task completed with identifier org.test.a")
            try await box.run("submit", "org.test.b")
            try await second.line("Task completed with identifier org.test.b")
            await second.stop()
            let history = try await box.run("history", "--tag", "sync")
            #expect(history.output.contains("TAGS") && history.output.contains("org.test.a"))
            #expect(!history.output.contains("org.test.b"), "\(history.output)")
            let json = try await box.run("history", "--tag", "sync", "--json").output
            let rows = try JSONDecoder().decode([Tagged].self, from: Data(json.utf8))
            #expect(rows.map(\.identifier) == ["org.test.a"])
            #expect(rows.first?.annotations?.tags.contains("sync") == true)
            let replay = try await box.run("replay")
            #expect(replay.code == 0, "\(replay.error)")
        }
    }

    @Test(
        "invalid tags are refused by lint, submit, the filters and the control socket")
    func refusals() async throws {
        try await Sandbox.withPlugin("exec", tasks: Self.tasks) { box in
            for words in [
                ["submit", "org.test.a", "--tag", "a b"], ["pending", "--tag", ""],
                ["cancel", "--tag", "a,b"], ["history", "--tag", "\u{E4}"],
            ] {
                let finished = try await box.run(
                    [words[0], "-m", box.manifest, "--state", box.state] + words.dropFirst())
                #expect(finished.code == 64, "\(words)")
                #expect(finished.error.contains("--tag: \""), "\(finished.error)")
                #expect(finished.error.contains("is not a tag; write 1 to 64 letters"))
            }
            let many =
                ["submit", "--manifest", box.manifest, "--state", box.state, "org.test.a"]
                + (1...8).flatMap { ["--tag", "t\($0)"] }
            let refused = try await box.start(many).end()
            #expect(refused.code == 64)
            #expect(refused.error.contains("--tag: a request has at most 8 tags, not 9; omit some"))
            let host = try await box.host("--stay", until: "Background refresh is ")
            let path = box.state + "/org.test.app/control.sock"
            for (tags, problem) in [
                (#"["a b"]"#, "is not a tag"),
                (#"["1","2","3","4","5","6","7","8"]"#, "at most 8 tags"),
            ] {
                let request =
                    #"{"command":"submit","identifier":"org.test.a","annotations":{"tags":"# + tags
                    + "}}"
                let answer = try await box.startShell(
                    "exec python3 -c \"$SCRIPT\"",
                    [
                        "REQUEST": request, "SOCKET": path,
                        "SCRIPT": """
                        import os, socket
                        s = socket.socket(socket.AF_UNIX)
                        s.connect(os.environ["SOCKET"])
                        s.sendall(os.environ["REQUEST"].encode() + b"\\n")
                        print(s.makefile().readline())
                        """,
                    ]
                ).end()
                #expect(answer.output.contains(problem), "\(answer.output) \(answer.error)")
            }
            #expect(try await pending(box).isEmpty)
            await host.stop()
            try box.write(tasks: "org.test.a: {kind: processing, handler: exec.run, tags: [a b]}")
            let lint = try await box.start(["lint", box.manifest]).end()
            #expect(lint.code == 65)
            #expect((lint.output + lint.error).contains("`a b` is not a tag"))
        }
    }

    @Test("a plugin's requests have tags, and its copies of pending requests show them")
    func plugin() async throws {
        let tasks = """
            org.test.tag: {kind: processing, handler: probe.tag}
            org.test.late: {kind: processing, handler: probe.tag, submit: manual, tags: [own, sync]}
            org.test.plain: {kind: processing, handler: probe.tag, submit: manual}
            """
        try await Sandbox.withProbe(tasks) { box in
            let host = try box.start("run", "--stay")
            try await host.line("Task completed with identifier org.test.tag")
            let log = await host.stop().error
            for line in [
                "submit 0", "submit bad -1", "submit many -1", "submit old 0",
                "org.test.late has nightly own sync", "org.test.plain has no tags",
                "The app's request for org.test.late was refused: a request has at most 8 tags, not 9",
            ] {
                #expect(log.contains(line), "\(line)\nin\n\(log)")
            }
        }
    }
}
