// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// `bgrun plugin check` on plugins that follow the rules, and on plugins that break one.
@Suite("The rules for plugins", .timeLimit(.minutes(5)))
struct ConformanceTests {
    struct Report: Decodable {
        struct Case: Decodable {
            var id: String
            var handler: String?
            var verdict: String
            var message: String?
        }
        var accepted: Bool
        var cases: [Case]
        var passed, warned, failed, skipped: Int

        func ids(_ verdict: String) -> [String] {
            Set(cases.filter { $0.verdict == verdict }.map(\.id)).sorted()
        }
    }

    /// Every case except those of the file, which `CommandLineTests` tests.
    static let cases = [
        "load.loads", "load.registers", "load.twice", "abi.newer-minor", "abi.first",
        "abi.other-major", "extension.none", "extension.unknown", "run.completes", "run.succeeds",
        "run.once", "run.returns", "run.channel", "run.late", "run.registers", "run.arguments",
        "run.text", "run.progress", "run.assertions", "run.submits", "leaves.children",
        "leaves.threads", "leaves.descriptors", "leaves.signals", "leaves.process",
        "leaves.place", "leaves.hundred", "launch.no-parameters", "launch.unknown-parameter",
        "launch.large-parameters", "launch.newer-host", "launch.no-extensions",
        "launch.unknown-device", "launch.no-deadline", "launch.later-attempt", "submit.refused",
        "transfer.refused", "transfer.ended", "transfer.failed", "transfer.again",
        "expire.has", "expire.stops", "expire.returns", "expire.early", "expire.unknown-reason",
        "checkpoint.size", "checkpoint.resumes", "checkpoint.foreign", "checkpoint.refused",
    ]

    /// The cases that only warn: the plugin breaks no rule.
    static let warnings = ["run.late", "leaves.place", "expire.has"]

    @Test("a plugin that breaks one rule is found by the case of that rule", arguments: cases)
    func deviant(_ id: String) async throws {
        // Only an attempt that never completes uses all of its time.
        let timeout = id == "run.completes" ? "2s" : "60s"
        try await withDeviant { box, plugin in
            let check = try await box.run(
                ["plugin", "check", plugin, "--manifest", box.manifest, "--only", id, "--json"]
                    + ["--timeout", timeout, "--grace", "500ms"], ["DEVIATION": id])
            let report = try Self.report(check)
            let verdict = Self.warnings.contains(id) ? "warned" : "failed"
            #expect(report.ids(verdict) == [id], "\(check.output)")
            let code: Int32 = id == "load.loads" ? 77 : verdict == "failed" ? 1 : 0
            #expect(check.code == code)
            await box.expectNothingLeft()
        }
    }

    @Test("a plugin that follows every rule passes every case, and no case is skipped")
    func model() async throws {
        try await withDeviant { box, plugin in
            let check = try await box.run(
                ["plugin", "check", plugin, "--manifest", box.manifest, "--json"])
            let report = try Self.report(check)
            #expect(check.code == 0)
            #expect(report.ids("failed") == [])
            #expect(report.ids("skipped") == [])
            #expect(report.ids("warned") == [])
            #expect(Set(Self.cases).isSubset(of: report.ids("passed")))
            await box.expectNothingLeft()
        }
    }

    @Test(
        "a slow handler causes no warning; a case whose handler uses all of its time is skipped",
        arguments: [("0.2", "passed"), ("0.6", "skipped")])
    func slow(_ seconds: String, _ verdict: String) async throws {
        let exec = try Built.plugin("exec")
        try await Sandbox.with { box in
            try box.write(
                plugins: ["exec": exec],
                tasks: """
                    org.test.slow:
                      {kind: processing, handler: exec.run, parameters: {command: sleep \(seconds)}}
                    """)
            let check = try await box.start([
                "plugin", "check", exec, "--manifest", box.manifest, "--only", "leaves.hundred",
                "--timeout", "1s", "--json",
            ]).end()
            let report = try Self.report(check)
            #expect(report.ids(verdict) == ["leaves.hundred"], "\(check.output)")
        }
    }

    @Test("--list names each case once, and Docs/plugin-check.md each group of them")
    func list() async throws {
        try await Sandbox.with { box in
            let listed = try await box.start(["plugin", "check", "--list"]).end()
            let rows = listed.output.split(separator: "\n").dropFirst().map {
                $0.split(separator: " ", maxSplits: 1).map {
                    $0.trimmingCharacters(in: .whitespaces)
                }
            }
            let ids = rows.map { $0[0] }
            #expect(Set(ids).count == ids.count)
            #expect(ids.filter { !$0.hasPrefix("file.") } == Self.cases)
            let page = try String(
                contentsOfFile: Built.package + "/Docs/plugin-check.md", encoding: .utf8)
            let documented = page.split(separator: "\n").filter { $0.hasPrefix("| `") }
                .map { String($0.split(separator: "`")[1]) }
            let groups = ids.map { String($0.prefix { $0 != "." }) }
                .reduce(into: [String]()) { if $0.last != $1 { $0.append($1) } }
            #expect(documented == groups)
        }
    }

    @Test(
        "the plugins that ship with bgrun follow every rule",
        arguments: ["hello-c", "exec", "sqlite-maintenance", "sync-directory"])
    func shipped(_ name: String) async throws {
        let plugin = try Built.plugin(name)
        try await Sandbox.with { box in
            let check = try await box.start(["plugin", "check", plugin, "--json"]).end()
            let report = try Self.report(check)
            #expect(check.code == 0)
            #expect(report.ids("failed") == [], "\(check.output)")
            #expect(report.passed > 40)
        }
    }

    /// The plugins of Tests/Misbehaving, and the cases that find each; empty if it breaks no rule.
    static let finders: [String: [String]] = [
        "abort": ["run.completes"], "asks-app": [], "bad-handlers": ["load.registers"],
        "bad-transfers": ["run.arguments"],
        "changes-process": ["leaves.process"], "changes-signals": ["leaves.signals"],
        "closes-descriptors": ["run.channel"], "completes-after-expiry": [],
        "completes-and-stays": ["run.returns"], "completes-on-thread": [],
        "completes-twice": ["run.once"], "constructor-crashes": ["load.loads"],
        "daemon-holds-output": ["leaves.children"], "daemonizes": ["leaves.children"],
        "duplicate-handler": ["load.registers"], "eats-memory": ["run.completes"],
        "eats-stdin": [], "endless-line": [], "endless-loop": ["run.completes"],
        "exit-0": ["run.completes"], "exit-3": ["run.completes"],
        "expire-never-returns": ["run.completes"], "floods-log": ["run.completes"],
        "floods-stdout": ["run.completes"], "garbage-on-channel": ["run.channel"],
        "huge-values": ["run.arguments", "run.progress"], "ignores-expiration": ["run.completes"],
        "init-fails": ["load.loads"], "init-hangs": ["load.loads"], "invalid-utf8": ["run.text"],
        "keeps-descriptor": [], "keeps-thread": [],
        "large-checkpoint": ["checkpoint.size", "run.arguments"],
        "leaks-assertion": ["launch.no-extensions", "run.assertions"],
        "leaks-descriptor": ["leaves.descriptors", "leaves.hundred"],
        "leaks-thread": ["leaves.threads"], "missing-entry": ["file.entry-symbol"],
        "never-completes": ["run.completes"], "newer-minor": [], "no-handlers": ["load.loads"],
        "null-entry": ["load.loads"], "null-init": ["load.loads"],
        "registers-late": ["run.registers"], "segfault": ["run.completes"],
        "setsid-child": ["run.completes"], "signals-group": ["run.completes"],
        "small-struct": ["load.loads"], "stale-task": [], "stops-itself": ["run.completes"],
        "thread-never-completes": ["run.completes"], "throws": ["run.completes"],
        "twenty-sleepers": ["run.completes"], "unknown-extension": [], "unpermitted-submit": [],
        "wrong-abi": ["load.loads"],
    ]

    /// Short limits, for plugins that never complete or fail at once.
    static let quick = ["--timeout", "700ms", "--grace", "300ms"]

    @Test(
        "each misbehaving plugin is found by its case, and harms nothing else", arguments: finders)
    func misbehaves(_ name: String, _ cases: [String]) async throws {
        let plugin = try Built.misbehaving(name)
        // On a busy machine short limits would cause further failures of these.
        let patient = cases.isEmpty || cases == ["leaves.children"]
        let only =
            cases.flatMap { ["--only", $0] } + (cases.isEmpty ? ["--only", "run.completes"] : [])
        try await Sandbox.with { box in
            let check = try await box.run(
                ["plugin", "check", plugin, "--json"] + only + (patient ? [] : Self.quick))
            let report = try Self.report(check)
            #expect(report.ids("failed") == cases, "\(check.output)")
            #expect(check.code == (cases.isEmpty ? 0 : report.accepted ? 1 : 77))
            await box.expectNothingLeft()
        }
    }

    @Test(
        "the case names the property of the process that a plugin changed",
        arguments: [
            (
                "changes-process", "leaves.place",
                "the directory, the file mode mask, the signal mask"
            ),
            ("leaks-descriptor", "leaves.descriptors", "null)"),
        ])
    func names(_ name: String, _ id: String, _ found: String) async throws {
        let plugin = try Built.misbehaving(name)
        try await Sandbox.with { box in
            let check = try await box.run(["plugin", "check", plugin, "--json", "--only", id])
            #expect(check.output.contains(found), "\(check.output)")
        }
    }

    @Test("every misbehaving plugin is checked")
    func everyMisbehaving() throws {
        _ = try Built.misbehaving("abort")
        #expect(Set(Self.finders.keys) == Set(Built.misbehavingNames))
    }

    @Test("a call that the manifest does not permit is found only with the manifest")
    func unpermitted() async throws {
        let plugin = try Built.misbehaving("unpermitted-submit")
        try await Sandbox.with { box in
            try box.write(
                plugins: ["bad": plugin],
                tasks: "org.test.bad: {kind: processing, handler: bad.run}")
            let check = ["plugin", "check", plugin, "--only", "run.submits", "--json"]
            #expect(try await Self.report(box.start(check).end()).ids("skipped") != [])
            let told = try await box.start(check + ["-m", box.manifest]).end()
            #expect(try Self.report(told).ids("failed") == ["run.submits"])
        }
    }

    @Test("a missing file is refused by its case, and no other case runs")
    func missing() async throws {
        try await Sandbox.with { box in
            let check = try await box.start(["plugin", "check", "nowhere.so", "--json"]).end()
            let report = try Self.report(check)
            #expect(check.code == 66)
            #expect(!report.accepted)
            #expect(report.ids("failed") == ["file.exists"])
            #expect(report.ids("passed") == [])
            let text = try await box.start(["plugin", "check", "nowhere.so"]).end()
            #expect(text.code == 66)
            #expect(text.error.hasPrefix("bgrun: nowhere.so does not exist"), "\(text.error)")
        }
    }

    private func withDeviant(_ body: (Sandbox, String) async throws -> Void) async throws {
        let plugin = try await Built.deviant.value
        try await Sandbox.with { box in
            try box.write(
                plugins: ["deviant": plugin],
                tasks:
                    "org.test.run: {kind: processing, handler: deviant.run, parameters: {work: 1}}")
            try await body(box, plugin)
        }
    }

    private static func report(_ check: Finished) throws -> Report {
        try JSONDecoder().decode(Report.self, from: Data(check.output.utf8))
    }
}
