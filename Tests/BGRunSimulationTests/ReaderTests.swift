// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy
import Foundation
import Testing

@testable import BGRunSimulation

@Suite("The reader of scenarios", .timeLimit(.minutes(10)))
struct ReaderTests {
    private static let head = "scenario: 1\nstart: 2026-03-02 08:00\nduration: 1d\n"

    private static func problems(_ text: String) throws -> [Diagnostic] {
        let manifest = try Sample.manifest(
            Sample.task("sync", "kind: processing") + Sample.task("message", "kind: push"))
        do throws(ManifestProblems) {
            return try ScenarioReader.read(
                bytes: Array(text.utf8), path: "s.yaml", for: manifest
            ).warnings
        } catch {
            return error.diagnostics
        }
    }

    @Test("all errors are reported together, each at its place with advice")
    func allAtOnce() throws {
        let text = """
            scenario: 1
            start: 2026-02-30 08:00
            zone: Europe/Berlim
            duratoin: 7d
            device:
              network: [{is: metred}, {every: daily, at: 07:00, for: 1h}]
              battery: {start: 80}
            events:
              - {at: 07:00, app: open}
              - {every: day, at: 25:00, push: com.app.sync}
            handlers:
              com.app.snyc: {takes: 5}
            """
        let found = try Self.problems(text).map {
            "\($0.mark?.line ?? 0):\($0.mark?.column ?? 0) \($0.code.rawValue)"
        }
        #expect(
            found == [
                "2:8 out-of-range", "3:7 unknown-word", "4:1 unknown-key", "6:18 unknown-word",
                "6:35 unknown-word", "7:20 missing-unit", "9:10 missing-key", "10:22 wrong-type",
                "10:35 wrong-type", "12:3 unknown-key", "12:25 missing-unit",
            ])
    }

    @Test("a manifest in place of a scenario is one error")
    func manifestAsScenario() throws {
        let found = try Self.problems("bgrun: 1\napp: com.app\ntasks: {}\n")
        #expect(found.map(\.message) == ["the file is a bgrun manifest, not a scenario"])
    }

    @Test("an impossible date is reported as a date, not as a text")
    func impossibleDate() throws {
        let found = try Self.problems("scenario: 1\nstart: 2026-02-30 05:00\nduration: 1h\n")
        #expect(found.map(\.message) == ["`2026-02-30 05:00` is not a date"])
    }

    @Test(
        "an error states how to correct it",
        arguments: [
            ("device: {netwrok: metered}", "write `network`"),
            ("device: {power: mains}", "write `external` or `battery`"),
            ("device: {power: [{every: day, at: 08:00}]}", "add `for: 8h`, or `until: 06:30`"),
            ("device: {power: [{every: day, for: 8h}]}", "add `at: 07:30`, a time of day"),
            ("device: {power: [{for: 8h}]}", "add `at: ...`, or drop it"),
            ("device: {power: [{at: 1h, for: 1h, until: 3h}]}", "drop one of them"),
            ("device: {power: [{at: 07:30, for: 1h}]}", "add `every: day`, or write a date"),
            ("device: {battery: [{at: 2h, is: 4%}, {at: 1h, is: 5%}]}", "put the points in order"),
            ("events: [{at: 1h}]", "write one of `submit`, `push`"),
            ("events: [{at: 1h, app: quit}]", "write `open` or `force-quit`"),
            ("events: [{at: 1h, clock: {}}]", "write `clock: {forward: 1h}`"),
            ("events: [{every: 1ms, app: open}]", "write a length of at least 86ms"),
            ("events: [{app: open}]", "add `at: 26h`"),
            ("events: [{at: 1h, push: com.app.sync}]", "write `submit: com.app.sync`"),
            ("events: [{at: 1h, submit: com.app.snyc}]", "did you mean `com.app.sync`?"),
            ("events: [{at: 1h, app: open, delay: 1h}]", "drop it"),
            ("handlers: {com.app.syn: {takes: 5s}}", "write `com.app.sync`"),
            ("handlers: {com.app.sync: {takes: {uniform: [5s]}}}", "write `uniform: [5s, 30s]`"),
            ("handlers: {com.app.sync: {takes: {poisson: 5s}}}", "drop it; the keys are"),
            ("handlers: {com.app.sync: {checkpoint: always}}", "write `never` or `when-told`"),
            ("suspend: [{at: 1h, for: 1h, is: true}]", "drop it"),
        ])
    func remedies(_ line: String, remedy: String) throws {
        let diagnostics = try Self.problems(Self.head + line)
        #expect(
            diagnostics.contains { $0.remedy.contains(remedy) },
            "\(diagnostics.map(\.remedy))")
    }

    @Test(
        "an invalid time of day is the only error of its window", arguments: ["25:45", "+5:45"])
    func timeOfDay(_ time: String) throws {
        let line = "device: {power: [{every: day, at: \"\(time)\", until: 06:30}]}"
        #expect(try Self.problems(Self.head + line).map(\.code) == [.wrongType])
    }

    @Test("a scenario of a later version is refused with the bgrun that it needs")
    func version() throws {
        let found = try Self.problems("scenario: 2\nwhatever: true\n")
        #expect(found.map(\.code) == [.unsupportedVersion])
    }

    @Test("an empty file and a missing one are reported as such")
    func missing() throws {
        #expect(try Self.problems("").map(\.code) == [.emptyFile])
        let manifest = try Sample.manifest(Sample.task("sync", "kind: processing"))
        let problems = #expect(throws: ManifestProblems.self) {
            try ScenarioReader.read(path: "/nowhere/s.yaml", for: manifest)
        }
        #expect(
            problems?.diagnostics.first?.message.hasPrefix("the scenario cannot be read") == true)
    }

    @Test("Docs/simulation.md has a table with exactly the keys of each mapping")
    func documentation() throws {
        let text = try String(
            contentsOfFile: Sample.root + "/Docs/simulation.md", encoding: .utf8)
        var tables: [Set<String>] = [[]]
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("| `") {
                let key = line.dropFirst(3).prefix { $0 != "`" }
                tables[tables.count - 1].insert(String(key))
            } else if !line.hasPrefix("|") {
                tables.append([])
            }
        }
        for section in ScenarioSections.all {
            #expect(tables.contains(Set(section.names)), "\(section.name)")
        }
    }

    @Test("the documentation's scenario is valid, and every metric is documented")
    func documentedScenario() throws {
        let text = try String(
            contentsOfFile: Sample.root + "/Docs/simulation.md", encoding: .utf8)
        let blocks = text.components(separatedBy: "```yaml\n").dropFirst().map {
            Array($0.components(separatedBy: "```")[0].utf8)
        }
        try #require(blocks.count >= 2)
        let manifest = try ManifestReader.read(
            bytes: blocks[0], path: "app.yaml", directory: "/")
        #expect(manifest.warnings == [])
        let scenario = try ScenarioReader.read(
            bytes: blocks[1], path: "week.yaml", for: manifest.manifest)
        #expect(scenario.warnings == [])
        for name in Metric.names where !name.hasPrefix("expired_") {
            #expect(text.contains("`\(name)`"), "\(name)")
        }
    }
}
