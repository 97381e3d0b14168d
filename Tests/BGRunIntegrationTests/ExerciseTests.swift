// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// `bgrun exercise` on a handler that tolerates revocation, and on handlers that do not.
@Suite("Trials that revoke the time of a task at any moment", .timeLimit(.minutes(5)))
struct ExerciseTests {
    struct Result: Decodable {
        struct Finding: Decodable {
            var rule: String
            var moment: String
            var message: String
        }
        var identifier: String
        var seed: UInt64
        var checkpoints: Int
        var moments: Int
        var told: Int
        var findings: [Finding]
        var notes: [String]
        var problem: String?
    }

    /// The fault of the deviant plugin, and the rules that report it.
    static let faults: [(String, Set<String>)] = [
        ("audit.twice", ["twice"]), ("audit.loses", ["lost-work", "standstill"]),
        ("audit.grace", ["grace"]), ("expire.returns", ["returns"]), ("audit.crashes", ["crash"]),
        ("checkpoint.resumes", ["resume"]), ("run.assertions", ["assertion"]),
    ]

    @Test("each fault of a handler at its expiration is found", arguments: faults)
    func finds(_ deviation: String, _ rules: Set<String>) async throws {
        try await withDeviant { box in
            let run = try await box.run(
                ["exercise", "-m", box.manifest, "--rounds", "1", "--grace", "300ms", "--json"],
                ["DEVIATION": deviation])
            #expect(run.code == 1, "\(run.error)")
            let results = try Self.results(run)
            #expect(Set(results.flatMap { $0.findings.map(\.rule) }) == rules, "\(run.output)")
            await box.expectNothingLeft()
        }
    }

    @Test("a handler without `expire` that reports after its end has no fault")
    func reportsLate() async throws {
        try await withDeviant { box in
            let run = try await box.run(
                ["exercise", "-m", box.manifest, "--rounds", "10", "--json"],
                ["DEVIATION": "audit.late"])
            #expect(run.code == 0, "\(run.output)")
            let result = try #require(try Self.results(run).first)
            #expect(result.findings.isEmpty && result.told > 0, "\(run.output)")
            #expect(result.notes == ["it has no expire callback: it is ended at once, unsaved"])
            await box.expectNothingLeft()
        }
    }

    @Test("the numbers and texts of a worker's frames are brought within their limits")
    func limits() async throws {
        let plugin = try await Built.hostileFrames.value
        try await Sandbox.with { box in
            try box.write(
                plugins: ["hostile": plugin],
                tasks: """
                    org.test.run: {kind: processing, handler: hostile.stores_before_all_numbers}
                    """)
            let run = try await box.run(
                ["exercise", "-m", box.manifest, "--rounds", "0", "--grace", "300ms", "--json"])
            #expect(run.code == 1, "\(run.error)")
            let result = try #require(try Self.results(run).first)
            #expect(result.problem == nil && result.checkpoints == 1, "\(run.output)")
            #expect(result.findings.map(\.rule) == ["assertion"], "\(run.output)")
            let name = String(repeating: "a", count: 256)
            let held = Array(repeating: name, count: 64).joined(separator: ", ")
            #expect(result.findings.first?.message == "held to the end: " + held)
            await box.expectNothingLeft()
        }
    }

    @Test("nothing is found in a correct handler, at each of its checkpoints")
    func clean() async throws {
        try await withDeviant { box in
            let run = try await box.run(
                ["exercise", "-m", box.manifest, "--rounds", "10", "--seed", "7", "--json"])
            #expect(run.code == 0, "\(run.output)")
            let result = try #require(try Self.results(run).first)
            #expect(result.findings.isEmpty)
            #expect(result.checkpoints == 30)
            #expect(result.moments == 10)
            #expect(result.seed == 7)
            #expect(result.told >= 25)
            #expect(result.notes.isEmpty)
            await box.expectNothingLeft()
        }
    }

    @Test("the text states the moment, the finding, the advice and the seed")
    func text() async throws {
        try await withDeviant { box in
            let run = try await box.run(
                ["exercise", "-m", box.manifest, "--rounds", "0", "--seed", "7", "org.test.run"],
                ["DEVIATION": "audit.twice"])
            let pattern = """
                org.test.run: told \\d+ times, at 30 checkpoints and 0 random moments \\(seed 7\\): 1 finding
                failed   twice: completes once
                         told at checkpoint \\d+: complete was called again after the report
                         let one place call complete: let expire set a flag, and launch report

                """
            let text = run.output.firstMatch(of: try Regex(pattern))
            #expect(text != nil, "\(run.output)")
        }
    }

    @Test("each attempt starts from the initial state, and a failure to restore it is reported")
    func prepares() async throws {
        try await withDeviant { box in
            let exercise = ["exercise", "-m", box.manifest, "--rounds", "3", "--prepare"]
            let run = try await box.start(exercise + ["echo x >> prepared"]).end()
            #expect(run.code == 0, "\(run.output)")
            let count = try String(
                contentsOfFile: box.directory + "/prepared", encoding: .utf8
            ).split(separator: "\n").count
            // 1 plain attempt, 30 with a checkpoint, 1 in pieces, 3 at other moments.
            #expect(count == 35)
            let failed = try await box.start(exercise + ["exit 3"]).end()
            #expect(failed.code == 1)
            #expect(failed.output.contains("--prepare ended with status 3"))
        }
    }

    @Test(
        "handlers are tried in a temporary app home, or in the one of the task's environment",
        arguments: ["exercise", "plugin check"], [true, false])
    func home(_ command: String, _ isGiven: Bool) async throws {
        let exec = try Built.plugin("exec")
        try await Sandbox.with { box in
            let given = isGiven ? ", environment: {BGRUN_APP_HOME: \(box.directory)/own}" : ""
            let logged = "$BGRUN_APP_HOME ${BGRUN_APP_HOME_KEEP+listed}"
            let script = "echo \(logged) >> \(box.directory)/homes"
            try box.write(
                plugins: ["exec": exec],
                tasks: """
                    org.test.run: {kind: processing, handler: exec.run\(given),
                      parameters: {command: '\(script); [ -d $BGRUN_APP_HOME ] || exit 1'}}
                    """)
            try FileManager.default.createDirectory(
                atPath: box.directory + "/own", withIntermediateDirectories: false)
            let about =
                command == "exercise"
                ? ["-m", box.manifest, "--rounds", "1"]
                : [exec, "--manifest", box.manifest, "--only", "run.succeeds"]
            let run = try await box.run(
                command.split(separator: " ").map(String.init) + about,
                ["BGRUN_APP_HOME": box.directory])
            #expect(run.code == 0, "\(run.output)")
            let homes = Set(
                try String(contentsOfFile: box.directory + "/homes", encoding: .utf8)
                    .split(separator: "\n"))
            let words = try #require(homes.first).split(separator: " ").map(String.init)
            // Without this variable the Swift SDK would keep the user's TMPDIR.
            #expect(homes.count == 1 && words.last == "listed", "\(homes)")
            let home = try #require(words.first)
            #expect(home.hasPrefix("/"), "\(homes)")
            #expect(home != box.directory)
            #expect((home == box.directory + "/own") == isGiven)
            #expect(FileManager.default.fileExists(atPath: home) == isGiven)
        }
    }

    @Test("a plugin gets the app of its manifest, or `plugin.check` without one")
    func app() async throws {
        try await withDeviant { box in
            let plugin = try await Built.deviant.value
            let check = ["plugin", "check", plugin, "--only", "run.completes"]
            for (words, app) in [
                (["exercise", "-m", box.manifest, "--rounds", "1"], "org.test.app"),
                (check + ["--manifest", box.manifest], "org.test.app"), (check, "plugin.check"),
            ] {
                let run = try await box.start(words, false, ["APP": app]).end()
                #expect(run.code == 0, "\(run.output)")
            }
        }
    }

    @Test("a task that fails without a trial is not exercised, with the reason")
    func failing() async throws {
        try await withDeviant { box in
            let run = try await box.run(
                ["exercise", "-m", box.manifest, "--json"], ["DEVIATION": "run.succeeds"])
            #expect(run.code == 1)
            let problem = try #require(try Self.results(run).first?.problem)
            #expect(problem.contains("it reports failure: could not"))
        }
    }

    @Test("an unknown task exits with 65 and a list of the known ones")
    func unknown() async throws {
        try await withDeviant { box in
            let run = try await box.start(["exercise", "-m", box.manifest, "org.test.other"]).end()
            #expect(run.code == 65)
            #expect(run.error.contains("it has: org.test.run"))
            #expect(try await box.start(["exercise", "-m", "/no/such/app.yaml"]).end().code == 66)
        }
    }

    private func withDeviant(_ body: (Sandbox) async throws -> Void) async throws {
        let plugin = try await Built.deviant.value
        try await Sandbox.with { box in
            try box.write(
                plugins: ["deviant": plugin],
                tasks:
                    "org.test.run: {kind: processing, handler: deviant.run, parameters: {work: 1}}")
            try await body(box)
        }
    }

    private static func results(_ run: Finished) throws -> [Result] {
        try JSONDecoder().decode([Result].self, from: Data(run.output.utf8))
    }
}
