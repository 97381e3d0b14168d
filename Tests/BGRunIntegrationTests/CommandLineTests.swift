// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

/// Compares the output of commands with the files in Golden. With BGRUN_RECORD=1 in the environment
/// it writes the files instead.
@Suite("Output of the command line", .timeLimit(.minutes(5)))
struct CommandLineTests {
    @Test(
        "--help of every command is the recorded one",
        arguments: [
            [], ["run"], ["daemon"], ["apps"], ["lint"], ["submit"], ["push"], ["cancel"],
            ["pending"], ["history"],
            ["trigger"], ["expire"], ["explain"], ["next"], ["replay"], ["plugin"],
            ["plugin", "new"],
            ["plugin", "check"], ["plugin", "inspect"], ["exercise"], ["import"], ["export"],
            ["advise"],
            ["logs"], ["report"], ["top"], ["doctor"], ["dashboard"], ["metrics"], ["hooks"],
            ["hooks", "test"], ["transfers"], ["transfers", "list"], ["transfers", "add"],
            ["transfers", "pause"], ["transfers", "resume"], ["transfers", "cancel"],
            ["permissions"],
        ])
    func help(_ command: [String]) async throws {
        try await Sandbox.with { box in
            let help = try await box.start(command + ["--help"]).end()
            #expect(help.code == 0)
            try golden(help.output, (["help"] + command).joined(separator: "-"))
        }
    }

    @Test(
        "an unknown command is named with the nearest one",
        arguments: [
            ("sumbit", "unknown command \"sumbit\"; did you mean \"submit\"?"),
            ("frobnicate", "unknown command \"frobnicate\"; `bgrun --help` lists them"),
            ("help", "unknown command \"nope\"; `bgrun --help` lists them"),
            ("app.yaml", "to run a manifest write `bgrun --manifest app.yaml`"),
        ])
    func noCommand(_ word: String, _ message: String) async throws {
        try await Sandbox.with { box in
            let rest = word == "help" ? ["nope"] : ["--all"]
            let finished = try await box.start([word] + rest).end()
            #expect(finished.code == 64)
            #expect(finished.error == "bgrun: \(message)\n")
        }
    }

    @Test("run, which is parsed separately, answers unknown words as other commands do")
    func runAlone() async throws {
        try await Sandbox.with { box in
            let version = try await box.start(["run", "--version"]).end()
            #expect(version.code == 0)
            #expect(try await box.start(["top", "--version"]).end().output == version.output)
            for word in [["run"], []] {
                let finished = try await box.run(word + ["--manifest", "a.yaml", "--frobnicate"])
                #expect(finished.code == 64)
                #expect(finished.error.contains("Error: Unknown option '--frobnicate'"))
                #expect(finished.error.contains("See 'bgrun"), "\(finished.error)")
            }
            for arguments in [
                ["--manifst", "a.yaml"], ["run", "--manifst=a.yaml", "--once"],
            ] {
                let typo = try await box.start(arguments).end()
                #expect(typo.code == 64)
                #expect(
                    typo.error.hasPrefix(
                        "Error: Unknown option '--manifst'. Did you mean '--manifest'?\n"),
                    "\(typo.error)")
            }
            let twice = try await box.start(["--manifest", "a.yaml", "--once", "--stay"]).end()
            #expect(twice.code == 64)
            #expect(twice.error.contains("--once and --stay cannot be combined"))
        }
    }

    @Test(
        "an identifier that neither a task nor the store has is refused",
        arguments: [
            ["report"], ["report", "--fail-on", "attention"], ["history"], ["history", "--follow"],
            ["logs"], ["logs", "--follow"],
        ])
    func unknown(_ command: [String]) async throws {
        try await Sandbox.withPlugin(
            "exec", rest: "policy: {profile: server}",
            tasks: "org.test.hello: {kind: processing, handler: exec.run, "
                + "parameters: {command: 'true'}}"
        ) { box in
            func run(_ identifier: String) async throws -> Finished {
                try await box.run(
                    [command[0], "-m", box.manifest, "--state", box.state]
                        + command.dropFirst() + [identifier])
            }
            func expectRefused() async throws {
                let typo = try await run("org.test.helo")
                #expect(typo.code == 77, "\(typo)")
                #expect(typo.output == "")
                #expect(
                    typo.error
                        == "bgrun: no task of the manifest handles \"org.test.helo\"; "
                        + "did you mean \"org.test.hello\"?\n")
            }
            try await expectRefused()
            try await box.run("run", "--once", "--quiet")
            try await expectRefused()
            guard !command.contains("--follow") else { return }
            try box.changeManifest("org.test.hello", to: "org.test.hallo")
            let old = try await run("org.test.hello")
            #expect(old.code == 0, "\(old)")
            #expect(old.error.contains("did you mean \"org.test.hallo\"?"), "\(old)")
        }
    }

    @Test("an identifier that no task has is pointed out", arguments: ["history", "cancel"])
    func undeclared(_ command: String) async throws {
        try await Sandbox.with { box in
            try box.write(
                plugins: ["exec": "exec"],
                tasks: "org.test.a: {kind: processing, handler: exec.run, "
                    + "parameters: {command: 'true'}}")
            for word in ["org.test.A", "a"] {
                let finished = try await box.run(command, word)
                #expect(finished.error.contains("did you mean \"org.test.a\"?"), "\(finished)")
            }
            #expect(try await box.run(command, "org.test.a").error == "")
        }
    }

    @Test("lint lists all problems, as text and as JSON")
    func lint() async throws {
        try await Sandbox.with { box in
            try """
            bgrun: 1
            app: org.test.app
            modes: [fetch]
            permitted_identifiers: [org.test.refresh]
            tasks:
              org.test.Refresh:
                kind: app-refresh
                handler: nobody.run
                expiration: {after: 30}
            """.write(toFile: box.manifest, atomically: true, encoding: .utf8)
            let text = try await box.start(["lint", box.manifest]).end()
            #expect(text.code == 65)
            try golden(box.placeless(text.error), "lint-errors")
            let json = try await box.start(["lint", "--json", box.manifest]).end()
            #expect(json.code == 65)
            try golden(box.placeless(json.output), "lint-errors-json")
        }
    }

    @Test("`next` lists dates of a manifest and of an expression, as text and as JSON")
    func next() async throws {
        try await Sandbox.with { box in
            try box.write(
                plugins: ["exec": "exec"],
                tasks: """
                    org.test.a: {kind: processing, handler: exec.run, parameters: {command: a}, cron: '30 2 * * *', zone: Europe/Berlin}
                    org.test.b: {kind: processing, handler: exec.run, parameters: {command: b}, on: {path: /srv/in}}
                    org.test.c: {kind: processing, handler: exec.run, parameters: {command: c}, on: {socket: {tcp: 9000}}}
                    """)
            let from = ["--from", "2026-03-28T12:00:00Z", "--count", "2"]
            let text = try await box.start(["next", "-m", box.manifest] + from).end()
            try golden(text.output, "next")
            let json = try await box.start(["next", "-m", box.manifest, "--json"] + from).end()
            try golden(json.output, "next-json")
            let wrong = try await box.start(["next", "-m", box.manifest, "org.test.A"]).end()
            #expect(wrong.code == 77)
            #expect(wrong.error.contains("did you mean \"org.test.a\"?"))
            let bad = try await box.start(["next", "--cron", "61 * * * *"]).end()
            #expect(bad.code == 65)
            #expect(bad.error.contains("61 * * * *\n  ^^"))
        }
    }

    @Test("--help of audit is the recorded one, although audit runs another program")
    func auditHelp() async throws {
        try await Sandbox.with { box in
            let help = try await box.start(["audit", "--help"]).end()
            #expect(help.code == 0)
            try golden(help.output, "help-audit")
        }
    }

    @Test("pending and history print tables and JSON")
    func tables() async throws {
        try await Sandbox.withProbe(
            """
            org.test.who: {kind: processing, handler: probe.who}
            org.test.fails: {kind: processing, handler: probe.fail-twice, submit: manual}
            org.test.power: {kind: processing, handler: probe.who, submit: manual, requires: {power: external}}
            """
        ) { box in
            let notRun =
                "the app has not been run here, its state would be in \(box.state)/org.test.app\n"
            #expect(try await box.run("pending").output == "nothing is pending: " + notRun)
            #expect(try await box.run("history").output == "no attempt has ended yet: " + notRun)
            let logs = try await box.run("logs")
            #expect(logs.code == 0 && logs.output == "" && logs.error == "bgrun: " + notRun)
            try golden(box.normal(try await box.run("run").error), "run-log")
            #expect(try await box.run("submit", "org.test.fails").code == 0)
            #expect(try await box.run("run", "--once", "--quiet").code == 1)
            try golden(
                box.normal(try await box.run("submit", "org.test.power", "--json").output),
                "submit-json")
            try golden(
                try await box.run("submit", "org.test.fails", "--after", "1h").output, "submit")
            try golden(box.normal(try await box.run("pending").output), "pending")
            try golden(box.normal(try await box.run("pending", "--json").output), "pending-json")
            try golden(box.normal(try await box.run("history").output), "history")
            try golden(box.normal(try await box.run("history", "--json").output), "history-json")
        }
    }

    @Test(
        "usage errors exit with 64",
        arguments: [
            ["run"], ["submit", "--manifest", "x"],
            ["history", "--manifest", "x", "--limit", "-1"],
            ["run", "--manifest", "x", "--once", "--stay"], ["frobnicate"], ["lint"],
            ["submit", "--manifest", "x", "org.test.a", "--after", "5"],
            ["submit", "--manifest", "x", "org.test.a", "--parameters", "[]"],
            ["cancel", "--manifest", "x"], ["pending", "--app", "../../etc"],
            ["top", "--app", "../../etc"], ["metrics", "--app", "a b"],
        ])
    func usage(_ arguments: [String]) async throws {
        try await Sandbox.with { box in
            let run = try await box.start(arguments).end()
            #expect(run.code == 64, "\(run.error)")
            #expect(run.output.isEmpty)
        }
    }

    @Test("every command exits with 66 for a missing manifest, with 65 for an invalid one")
    func badManifests() async throws {
        try await Sandbox.with { box in
            let commands = [
                ["run"], ["lint"], ["submit", "a.b"], ["push", "a.b"], ["cancel", "a.b"],
                ["pending"], ["history"],
                ["trigger", "a.b"], ["expire", "a.b"], ["logs"], ["report"], ["top"],
                ["permissions"],
            ]
            for command in commands {
                let run = try await box.start(command + ["--manifest", box.manifest]).end()
                #expect(run.code == 66, "\(command): \(run.error)")
            }
            try "bgrun: 1\n".write(toFile: box.manifest, atomically: true, encoding: .utf8)
            for command in commands {
                let run = try await box.start(command + ["--manifest", box.manifest]).end()
                #expect(run.code == 65, "\(command): \(run.error)")
            }
        }
    }

    /// The files of Tests/Misbehaving/make-bad-files, and the check that refuses each one.
    private static let badFiles = [
        "class": "ELF class", "dangling": "exists", "directory": "regular file",
        "empty": "ELF header", "endian": "byte order", "executable": "type",
        "fifo": "regular file", "headless": "complete", "machine": "machine",
        "text": "ELF header", "truncated": "complete", "writable": "mode",
    ]

    @Test("files that are not plugins are refused with the failed check, and never loaded")
    func badFiles() async throws {
        _ = try Built.misbehaving("abort")
        #expect(Set(Self.badFiles.keys) == Set(Built.badFileNames))
        try await Sandbox.with { box in
            for (name, check) in Self.badFiles {
                let path = try Built.misbehaving("bad/\(name)")
                let checked = try await box.start(["plugin", "check", path]).end()
                let id = "file." + check.lowercased().replacingOccurrences(of: " ", with: "-")
                if check == "exists" {
                    #expect(checked.code == 66 && checked.error.contains("does not exist"))
                } else {
                    #expect(checked.code == 77, "\(name)")
                    #expect(checked.output.hasPrefix("failed   \(id): "), "\(checked.output)")
                }
                let inspected = try await box.start(["plugin", "inspect", path]).end()
                #expect(inspected.code == 77, "\(name)")
                #expect(inspected.error.contains(": \(check): expected "), "\(inspected.error)")
            }
        }
    }

    @Test("lint gives a refused plugin file the code of its problem")
    func badFileCodes() async throws {
        let files = [
            "bad-library": try Built.misbehaving("bad/text"),
            "untrusted-file": try Built.misbehaving("bad/writable"),
            "missing-function": try await Built.shiftedClock.value,
        ]
        for (code, path) in files {
            try await Sandbox.with { box in
                try box.write(
                    plugins: ["bad": path],
                    tasks: "org.test.bad: {kind: processing, handler: bad.run}")
                let lint = try await box.start(["lint", box.manifest]).end()
                #expect(lint.code == 77)
                #expect(lint.error.contains("[\(code)]"), "\(lint.error)")
            }
        }
    }

    @Test("an attempt with a refused plugin names the failed check, and another app's completes")
    func refusedAtLaunch() async throws {
        let probe = try await Built.probe.value
        // The target of `dangling` is missing: lint refuses it.
        for name in Built.badFileNames where name != "dangling" {
            try await Sandbox.with { box in
                try box.write(
                    plugins: ["bad": try Built.misbehaving("bad/\(name)"), "probe": probe],
                    tasks: """
                        org.test.bad: {kind: processing, handler: bad.run}
                        org.test.good: {kind: processing, handler: probe.who}
                        """)
                let run = try await box.run("run")
                if run.code == 65 {
                    // Not a regular file: the manifest is refused.
                    #expect(["directory", "fifo"].contains(name), "\(run.error)")
                } else {
                    #expect(run.code == 1, "\(name): \(run.error)")
                    let bad = try await box.attempt("org.test.bad")
                    #expect(bad.outcome == "refused", "\(name)")
                    #expect(bad.message?.contains(name) == true, "\(bad.message ?? "")")
                    #expect(try await box.attempt("org.test.good").outcome == "completed")
                }
                await box.expectNothingLeft()
            }
        }
    }

    private func golden(
        _ text: String, _ name: String, _ location: SourceLocation = #_sourceLocation
    ) throws {
        let path = Built.package + "/Tests/BGRunIntegrationTests/Golden/\(name).txt"
        if getenv("BGRUN_RECORD") != nil {
            try text.write(toFile: path, atomically: true, encoding: .utf8)
        }
        let expected = (try? String(contentsOfFile: path, encoding: .utf8)) ?? "(no such file)"
        #expect(
            text == expected, "see \(path); record it again with BGRUN_RECORD=1",
            sourceLocation: location)
    }
}

extension Sandbox {
    /// `text` with a fixed name for the directory of this sandbox.
    fileprivate func placeless(_ text: String) -> String {
        text.replacingOccurrences(of: directory, with: "$SANDBOX")
    }

    /// `text` without the values that differ from run to run: paths, dates, durations and pids.
    fileprivate func normal(_ text: String) -> String {
        let patterns = [
            (#"\d{4}-\d\d-\d\dT[\d:.]+Z"#, "<time>"),
            (#"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"#, "<time>"),
            (#"(?m)^\d\d:\d\d:\d\d"#, "<time>"), (#"pid \d+"#, "pid <pid>"),
            (#"("(?:\w*[mM]i\w+seconds|submitted|earliest)" : )[\d.]+"#, "$1<number>"),
            (#"  \d+(?:s|ms|us)(?:\d+(?:ms|us))? "#, "  <took> "), (#"(?<=\S)  +"#, "  "),
        ]
        return patterns.reduce(placeless(text)) {
            $0.replacingOccurrences(of: $1.0, with: $1.1, options: .regularExpression)
        }
    }
}
