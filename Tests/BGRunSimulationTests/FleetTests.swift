// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy
import BGRunSimulation
import Foundation
import Testing

@Suite("A manifest on many devices")
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

    @Test("at least five devices ship, and the engine keeps its promises on each")
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

    @Test("a run on a device is the one of its seed alone, whatever the number of cores")
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

    @Test("of a trace the device and its suspensions count, and nothing else")
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
}
