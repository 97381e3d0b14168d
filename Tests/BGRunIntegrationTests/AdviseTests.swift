// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("Advice on the kind of a task", .timeLimit(.minutes(5)))
struct AdviseTests {
    struct Advice: Decodable {
        var kind: String
        var identifier: String
        var answers: [String: String]
        var reasons: [String]
        var manifest: String
    }

    /// The decisions of the decision tree for Apple's kinds.
    static let decisions: [(String, String)] = [
        ("user-started=yes progress=yes", "continued"),
        ("user-started=yes progress=no", "processing"),
        ("user-started=no trigger=message", "push"),
        ("user-started=no trigger=transfer", "transfer"),
        ("user-started=no trigger=report", "assertion"),
        ("user-started=no trigger=clock needs=seconds fresh=yes often=daily", "app-refresh"),
        (
            "user-started=no trigger=clock needs=seconds fresh=no deferrable=yes network=no often=daily",
            "processing"
        ),
        (
            "user-started=no trigger=clock needs=minutes deferrable=no network=any often=hourly",
            "processing"
        ),
    ]

    @Test("each kind of work gets its kind of task", arguments: decisions)
    func decides(_ answers: String, _ kind: String) async throws {
        try await Sandbox.with { box in
            let options = answers.split(separator: " ").flatMap { answer in
                let words = answer.split(separator: "=")
                return ["--\(words[0])", String(words[1])]
            }
            let run = try await box.start(["advise", "--json"] + options).end()
            #expect(run.code == 0, "\(run.error)")
            let advice = try JSONDecoder().decode(Advice.self, from: Data(run.output.utf8))
            #expect(advice.kind == kind)
            #expect(!advice.reasons.isEmpty)
            #expect(advice.answers.count == options.count / 2)
        }
    }

    @Test("every path through the questions ends in a manifest that lint accepts")
    func everyWay() async throws {
        try await Sandbox.with { box in
            var open: [[String]] = [[]]
            var manifests: Set<String> = []
            var ways = 0
            while let options = open.popLast() {
                let run = try await box.start(["advise"] + options).end()
                if run.code == 0 {
                    ways += 1
                    manifests.insert(run.output)
                    #expect(run.output.hasPrefix("# kind: "))
                } else {
                    // "Error: answer with --needs: How long? seconds (up to ...), minutes (some), ..."
                    #expect(run.code == 64)
                    let match = try #require(
                        run.error.firstMatch(of: /answer with --([a-z-]+): [^?]*\? (.*)/))
                    let values = match.2.matches(of: /([a-z]+) \(/).map { String($0.1) }
                    #expect(values.count > 1)
                    open += values.map { options + ["--\(match.1)", $0] }
                }
            }
            #expect(ways == 81)
            var files: [String] = []
            for (index, text) in manifests.enumerated() {
                files.append(box.directory + "/\(index).yaml")
                try text.write(toFile: files[index], atomically: true, encoding: .utf8)
            }
            let lint = try await box.start(["lint"] + files).end()
            #expect(lint.code == 0, "\(lint.error)")
            #expect(lint.error.isEmpty, "\(lint.error)")
        }
    }

    @Test("Docs/which-kind.md has the table that the command uses")
    func documented() async throws {
        let page = try String(
            contentsOfFile: Built.package + "/Docs/which-kind.md", encoding: .utf8)
        try await Sandbox.with { box in
            let table = try await box.start(["advise", "--list"]).end()
            #expect(table.code == 0)
            #expect(page.contains("\n" + table.output + "\n"))
        }
    }

    @Test("on a terminal the command asks for missing options, and accepts numbers and words")
    func asks() async throws {
        try await Sandbox.with { box in
            let run = try box.startShell(
                "printf '2\\nnonsense\\nclock\\n1\\n1\\n9\\ndaily\\n' | "
                    + "TERM=xterm script -qec \"$BGRUN advise --app org.test.mail\" /dev/null")
            let ended = await run.end()
            #expect(ended.code == 0, "\(ended.error)")
            #expect(ended.output.contains("What makes it due?"))
            #expect(ended.output.contains("enter a number or a word of the list"))
            #expect(ended.output.contains("# kind: app-refresh"), "\(ended.output)")
            #expect(ended.output.contains("org.test.mail.refresh:"))
            #expect(ended.output.contains("every: 1d"))
        }
    }

    @Test(
        "a question without an answer exits with 64",
        arguments: [
            ["--user-started", "perhaps"],
            ["--user-started", "yes", "--progress", "yes", "--often", "daily"],
            ["--app", "no app"], ["--json"],
        ])
    func refused(_ options: [String]) async throws {
        try await Sandbox.with { box in
            let run = try await box.start(["advise"] + options).end()
            #expect(run.code == 64)
            #expect(run.output.isEmpty)
            #expect(!run.error.isEmpty)
        }
    }
}
