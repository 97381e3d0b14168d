// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy
import BGRunSimulation
import Foundation
import Testing

@Suite("A manifest on many devices", .timeLimit(.minutes(10)))
struct FleetTests {
    private static let folder = Sample.root + "/manifests/scenarios/traces"

    private static func scenario() throws -> (Manifest, Scenario) {
        let manifest = try Sample.manifest(
            Sample.task("backup", "kind: processing, requires: {power: external}, every: 1d"))
        let scenario = try Sample.scenario(
            "duration: 2d\nhandlers: {\"*\": {takes: {exponential: 1m}}}\n", for: manifest)
        return (manifest, scenario)
    }

    private static func traces() throws -> (Manifest, [(name: String, scenario: Scenario)]) {
        let (manifest, scenario) = try scenario()
        let files = try FileManager.default.contentsOfDirectory(atPath: folder)
            .filter { $0.hasSuffix(".yaml") }.sorted()
        let traces = try files.map { file in
            let reading = try ScenarioReader.read(
                trace: "\(folder)/\(file)", for: manifest, on: scenario)
            #expect(reading.warnings.isEmpty, "\(file)")
            return (name: String(file.dropLast(5)), scenario: reading.scenario)
        }
        return (manifest, traces)
    }

    @Test("at least five devices are shipped, and the engine keeps its promises on each")
    func shipped() throws {
        let (manifest, traces) = try Self.traces()
        #expect(traces.count >= 5)
        let fleet = Fleet(manifest.engineConfiguration, traces, seed: 1, runs: 3)
        #expect(fleet.devices.map(\.name) == traces.map(\.name))
        for device in fleet.devices {
            #expect(device.runs.results.map(\.seed) == [1, 2, 3])
            #expect(device.runs.results.flatMap(\.faults) == [], "\(device.name)")
        }
    }

    @Test("a run on a device depends only on its seed, not on the number of cores")
    func alone() throws {
        let (manifest, traces) = try Self.traces()
        let fleet = Fleet(manifest.engineConfiguration, traces, seed: 5, runs: 2)
        for (device, trace) in zip(fleet.devices, traces) {
            let alone = Simulator(manifest.engineConfiguration, trace.scenario, seed: 6).run()
            #expect(device.runs.results[1].json == alone.json)
        }
        #expect(
            fleet.json
                == Fleet(manifest.engineConfiguration, traces, seed: 5, runs: 2).json)
    }

    @Test("only the device and its suspensions are read from a trace")
    func onlyTheDevice() throws {
        let (manifest, scenario) = try Self.scenario()
        let path = Sample.root + "/manifests/scenarios/office-laptop/scenario.yaml"
        let moved = try ScenarioReader.read(trace: path, for: manifest, on: scenario).scenario
        #expect(moved.suspended.count == 2)
        #expect(moved.name == scenario.name)
        #expect(moved.duration == scenario.duration)
        #expect(moved.events.isEmpty)
    }

    @Test("a trace without a device is refused")
    func noDevice() throws {
        let (manifest, scenario) = try Self.scenario()
        let path = NSTemporaryDirectory() + "bgrun-trace-\(UUID().uuidString).yaml"
        try "scenario: 1\nname: nothing\n".write(toFile: path, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(throws: ManifestProblems.self) {
            _ = try ScenarioReader.read(trace: path, for: manifest, on: scenario)
        }
    }

    @Test("the rows of several runs are their means, on one device or many")
    func means() throws {
        let (manifest, _) = try Self.scenario()
        let scenario = try Sample.scenario(
            "duration: 10d\ndevice: {power: external}\n"
                + "handlers: {\"*\": {takes: 1m, fails: 50%}}\n", for: manifest)
        let fleet = Fleet(manifest.engineConfiguration, [("on", scenario)], seed: 1, runs: 4)
        let runs = try #require(fleet.devices.first).runs
        let completed = try runs.results.map { try $0.tally("backup").completed }
        #expect(Set(completed).count > 1, "one run would have the mean of all")
        let mean = Double(completed.reduce(0, +)) / 4

        #expect(fleet.report.contains("4 runs of each, from seed 1; means"))
        let row = fleet.report.split(separator: "\n").map { $0.split(separator: " ") }
            .first { $0.first == "on" }
        #expect(row?.dropFirst(2).first.flatMap { Double($0) } == mean, "\(fleet.report)")

        #expect(runs.report.contains("4 runs of 10d, seeds 1 to 4; mean"))
        let line = runs.report.split(separator: "\n").first { $0.hasPrefix("com.app.backup") }
        let cells = (line ?? "").components(separatedBy: "  ")
            .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
        #expect(cells.dropFirst().first == "1 ± 0" && cells.last == "0 of 4", "\(cells)")
        let estimate = cells.dropFirst(2).first?.split(separator: " ").compactMap { Double($0) }
        #expect(estimate?.first == mean && estimate?.last ?? 0 > 0, "\(cells)")
    }

    @Test("the report has a row for each device, and least, median and most below them")
    func report() throws {
        let (manifest, scenario) = try Self.scenario()
        func device(_ power: String) throws -> Scenario {
            try Sample.scenario(
                "duration: 2d\ndevice: {power: \(power)}\n", for: manifest)
        }
        #expect(scenario.duration == .days(2))
        let fleet = Fleet(
            manifest.engineConfiguration,
            [("off", try device("battery")), ("on", try device("external"))], seed: 1, runs: 1)
        let rows = fleet.report.split(separator: "\n").map {
            $0.split(separator: " ", omittingEmptySubsequences: true).prefix(3).map(String.init)
        }
        #expect(rows.contains(["off", "0", "0"]))
        #expect(rows.contains(["on", "1", "2"]))
        #expect(rows.contains(["=", "least", "0"]))
        #expect(rows.contains(["=", "most", "1"]))
    }

    @Test("the report for programs has every task, and the spread of its metrics over the devices")
    func json() throws {
        let manifest = try Sample.manifest(
            Sample.task("backup", "kind: processing, requires: {power: external}, every: 1d")
                + Sample.task("sync", "kind: app-refresh, every: 1h"))
        let devices = try ["battery", "external"].map { power in
            (
                name: power,
                scenario: try Sample.scenario(
                    "duration: 2d\ndevice: {power: \(power)}\n", for: manifest)
            )
        }
        let fleet = Fleet(manifest.engineConfiguration, devices, seed: 1, runs: 1)
        let report = try #require(
            try JSONSerialization.jsonObject(with: Data(fleet.json.utf8)) as? [String: Any])
        let tasks = try #require(report["tasks"] as? [[String: Any]])
        let identifiers = tasks.compactMap { $0["identifier"] as? String }
        #expect(identifiers.sorted() == ["com.app.backup", "com.app.sync"])
        let backup = try #require(tasks.first { $0["identifier"] as? String == "com.app.backup" })
        let launches = try #require(backup["launches_per_day"] as? [String: Any])
        #expect(launches["least"] as? Double == 0)
        #expect(launches["most"] as? Double == 1)
    }
}
