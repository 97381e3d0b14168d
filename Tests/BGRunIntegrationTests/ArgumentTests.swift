// SPDX-License-Identifier: Apache-2.0

import BGRunTestMachine
import Foundation
import Testing

@Suite("Arguments and their errors", .timeLimit(.minutes(5)))
struct ArgumentTests {
    @Test(
        "a refused value is reported with the valid ones",
        arguments: [
            (["history", "-m", "x", "--limit", "-1"], "--limit must not be negative"),
            (["pending", "-m", "x", "--limit", "-1"], "--limit must not be negative"),
            (["logs", "-m", "x", "-n", "-1"], "--lines must not be negative"),
            (["logs", "-m", "x", "-n", "x"], "write a number, such as 20"),
            (["pending", "-m", "x", "--limit", "x"], "write a number, such as 20"),
            (["hooks", "test", "-m", "x", "--on", "faild"], "did you mean \"failed\"?"),
            (["export", "-m", "x"], "give --to: systemd, crontab, kubernetes, nomad"),
            (["run", "-m", "x", "--clock", "foo"], "virtual, virtual=N, scaled or scaled=N"),
            (["explain", "-m", "x", "a.b", "--at", "+1000000d"], "the longest is 106751d"),
            (["history", "-m", "x", "--since", "400000d"], "the longest is 106751d"),
            (
                ["history", "-m", "x", "--since", "2026-02-30"],
                "\"2026-02-30\" is not a date; write -2h, 14:30, 2026-11-21, "
            ),
            (["pending", "-m", "x", "--manifest=y"], "--manifest is given 2 times"),
            (["-m", "x", "--once", "-m", "y"], "--manifest is given 2 times"),
            (["pending", "--app", "a.b", "--app", "a.c"], "--app is given 2 times"),
            (["pending", "--app", "../../etc"], "is not the name of an app"),
            (
                ["simulate", "-m", "x", "-s", "x", "--assert", "foo"],
                "bgrun: --assert: `foo` compares"
            ),
            (["trigger", "-m", "x", "a.b", "--parameters", "[]"], "must be a JSON object"),
            (
                ["expire", "-m", "x", "a.b", "--reason", "thermo"],
                "\"thermo\" is not a reason; it must be one of time, "
            ),
            (
                ["push", "-m", "x", "a.b", "--payload", "{album: 7}"],
                "--payload: invalid JSON at line 1, column 2: expected a key in double quotes"
            ),
            (
                ["push", "-m", "x", "a.b", "--payload", #"{"album" 7}"#],
                "--payload: invalid JSON at line 1, column 10: expected `:` after the key"
            ),
            (["advise"], "bgrun: answer with --user-started"),
            (
                ["submit", "a.b"],
                "missing app: give --manifest <file> or --app <name>\nUsage: bgrun submit "
            ),
            (["transfers"], "missing app: give --manifest <file> or --app <name>"),
            (
                ["replay"],
                "missing app: give --manifest <file>, --app <name> or a file of a journal"
            ),
        ])
    func refusedValue(_ arguments: [String], _ message: String) async throws {
        try await Sandbox.with { box in
            let run = try await box.start(arguments).end()
            #expect(run.code == 64)
            #expect(run.error.contains(message), "\(run.error)")
            #expect(!run.error.contains("bgrun <subcommand>"), "\(run.error)")
        }
    }

    @Test("commands about several apps accept several manifests")
    func severalManifests() async throws {
        try await Sandbox.with { box in
            try box.write(
                plugins: ["exec": "exec"],
                tasks: "org.test.a: {kind: processing, handler: exec.run, "
                    + "parameters: {command: 'true'}}")
            for command in ["lint", "top"] {
                let run = try await box.run([command, "-m", box.manifest, "-m", box.manifest])
                #expect(run.code == 0, "\(run.error)")
            }
        }
    }

    @Test(
        "lint and submit refuse the parameters with which exec.run fails, and accept the others",
        arguments: [
            (#"{"command": "true"}"#, true), (#"{"argv": ["true", ""]}"#, true),
            (#"{"command": "exit 3", "success_codes": [3]}"#, true),
            (#"{"argv": ["true"], "command": null, "environment": {"A": null}}"#, true),
            (#"{"command": ""}"#, true), ("{}", false), (#"{"command": null}"#, false),
            (#"{"command": 5}"#, false), (#"{"argv": ["sleep", 0]}"#, false),
            (#"{"argv": "true"}"#, false), (#"{"argv": []}"#, false),
            (#"{"command": "true", "argv": ["true"]}"#, false),
            (#"{"command": "true", "success_codes": 0}"#, false),
            (#"{"command": "true", "success_codes": []}"#, false),
            (#"{"command": "true", "success_codes": [0, 256]}"#, false),
            (#"{"command": "true", "stdin": "/dev/null", "input": "a"}"#, false),
            (#"{"command": "true", "directory": 1}"#, false),
            (#"{"command": "true", "environment": {"A": 1}}"#, false),
            (#"{"command": "true", "environment": {"A=B": "1"}}"#, false),
            (#"{"command": "true", "environment": null}"#, false),
            (#"{"command": "true", "expire_signal": "SIGTERM"}"#, false),
        ])
    func execParameters(_ parameters: String, _ isAccepted: Bool) async throws {
        try await Sandbox.with { box in
            let task = "org.test.a: {kind: processing, handler: exec.run, "
            let policy = "policy: {profile: server}"
            try box.write(
                plugins: ["exec": "exec"], rest: policy,
                tasks: task + "parameters: \(parameters)}")
            let lint = try await box.start(["lint", box.manifest]).end()
            #expect(lint.code == (isAccepted ? 0 : 65), "\(lint.error)")
            func give(to command: String) async throws -> Finished {
                try await box.run(command, "org.test.a", "--parameters", parameters)
            }
            try box.write(
                plugins: ["exec": "exec"], rest: policy, tasks: task + "submit: manual}")
            let submit = try await give(to: "submit")
            #expect(submit.code == (isAccepted ? 0 : 64), "\(submit.error)")
            if !isAccepted {
                let prefix = "bgrun: --parameters: "
                let message = submit.error.dropFirst(prefix.count).prefix { $0 != ";" }
                #expect(submit.error.hasPrefix(prefix) && lint.error.contains(message + " ["))
                #expect(try await give(to: "trigger").error == submit.error)
            }
            // The same plugin by its path: bgrun does not know its parameters.
            try box.write(
                plugins: ["exec": try Built.plugin("exec")], rest: policy,
                tasks: task + "submit: manual}")
            #expect(try await give(to: "submit").code == 0)
            let run = try await box.run("run", "--once")
            #expect(run.code == (isAccepted ? 0 : 1), "\(run.error)")
        }
    }

    @Test("simulate of several runs names the first one that contradicts an assertion")
    func contradicted() async throws {
        try await Sandbox.with { box in
            try box.write(
                plugins: ["exec": "exec"], rest: "policy: {profile: server}",
                tasks: "org.test.a: {kind: processing, handler: exec.run, submit: manual}")
            try box.write(scenario: "duration: 1h")
            let run = try await box.run(
                [
                    "simulate", "-m", box.manifest, "-s", box.scenario, "--runs", "3",
                    "--assert", "org.test.a.launches == 9",
                ])
            #expect(run.code == 1)
            #expect(run.error.split(separator: "\n").count { $0.contains("not true: ") } == 1)
        }
    }

    @Test("`explain` names the reading that keeps the device from being idle")
    func reasonOfUse() async throws {
        let tree = try Tree(["/dev/pts/3 ="])
        try await Sandbox.with(machine: (tree.root, "unix:path=\(tree.root)/no-bus")) { box in
            let task = "{kind: processing, handler: exec.run, parameters: {command: a}}"
            for (device, reason) in [
                ("{power: external}", "not idle: the last input at a terminal was"),
                ("{power: external, idle: false}", "not idle: stated in the manifest"),
            ] {
                try box.write(
                    plugins: ["exec": "exec"], device: device, tasks: "org.test.a: \(task)")
                let text = try await box.run("explain", "org.test.a").output
                #expect(text.contains(reason), "\(text)")
            }
        }
    }
}
