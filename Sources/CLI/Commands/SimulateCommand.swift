// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunDashboard
import BGRunManifest
import BGRunSimulation
import FoundationEssentials
import Glibc

struct SimulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Run a manifest's policy through a scenario in virtual time.",
        discussion: """
            No handler is run: the scenario says how long each takes. The same manifest, scenario \
            and seed print the same bytes. Exits with 1 when an assertion is false.

            Example: bgrun simulate -m notes.yaml -s week.yaml
            """)

    @OptionGroup var app: ManifestOption

    @Option(
        name: .shortAndLong,
        help: .value("file", "What the device and its users do; see Docs/simulation.md."),
        completion: .yamlFiles)
    var scenario: String

    @Option(help: .value("number", "The seed, in place of the scenario's."))
    var seed: UInt64?

    @Option(parsing: .unconditional, help: .value("count", "Number of seeds to run, on all cores."))
    var runs = 1

    @Option(
        help: .value("directory", "Run the scenario on the device of every .yaml file in it."),
        completion: .directory)
    var devices: String?

    @Option(
        help: .value(
            "expression",
            "What must be true, for example 'sync.launches_per_day >= 1'. May be repeated."))
    var assert: [String] = []

    @Flag(help: "Draw the run on the terminal.")
    var timeline = false

    @Option(
        help: .value("file", "Write the run as a page for a browser."),
        completion: .file(extensions: ["html"]))
    var html: String?

    @OptionGroup var output: JSONOption

    func validate() throws {
        if runs < 1 || runs > 1_000_000 {
            throw ValidationError("--runs must be from 1 to 1000000")
        }
        if runs > 1, timeline || html != nil {
            throw ValidationError("--timeline and --html show one run; leave out --runs")
        }
        if devices != nil, timeline || html != nil {
            throw ValidationError("--timeline and --html show one run; leave out --devices")
        }
        if output.json, timeline {
            throw ValidationError("--json and --timeline cannot be combined")
        }
    }

    func run() throws {
        let assertions = try assert.map { try Assertion($0) }
        let (manifest, scenario) = try read()
        let configuration = manifest.engineConfiguration
        let seed = seed ?? scenario.seed
        if let devices {
            let traces = try read(tracesIn: devices, for: manifest, on: scenario)
            let fleet = Fleet(configuration, traces, seed: seed, runs: runs)
            print(output.json ? fleet.json + "\n" : fleet.report, terminator: "")
            return try check(assertions, in: fleet.devices.map { ($0.name, $0.runs.results) })
        }
        let results: [SimulationResult]
        if runs == 1 {
            let result = Simulator(
                configuration, scenario, seed: seed, recordsSpans: timeline || html != nil
            ).run()
            results = [result]
            if let html { try NamedFile.write(result.page, to: html) }
            print(output.json ? result.json + "\n" : result.report, terminator: "")
            if timeline {
                print()
                print(
                    result.timeline(
                        width: Terminal.width(STDOUT_FILENO),
                        hasColor: Terminal.hasColor(STDOUT_FILENO)), terminator: "")
            }
        } else {
            let ensemble = Ensemble(configuration, scenario, seed: seed, runs: runs)
            results = ensemble.results
            print(output.json ? ensemble.json + "\n" : ensemble.report, terminator: "")
        }
        try check(assertions, in: [(nil, results)])
    }

    /// The manifest and the scenario; shows their problems.
    private func read() throws -> (Manifest, Scenario) {
        let here = try ManifestReader.read(
            path: app.manifest, options: .installed(checkingFiles: false)
        ).manifest
        let scenario = try ScenarioReader.read(path: scenario, for: here)
        // Schedules use the clock and the zone of the scenario.
        let there = try ManifestReader.read(
            path: app.manifest, options: .simulated(scenario.scenario, checkingFiles: false))
        Diagnostics.show(there.warnings + scenario.warnings)
        return (there.manifest, scenario.scenario)
    }

    /// The devices in `directory`, sorted by name; shows their problems.
    private func read(
        tracesIn directory: String, for manifest: Manifest, on scenario: Scenario
    ) throws -> [(name: String, scenario: Scenario)] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        let traces = files.filter { $0.hasSuffix(".yaml") }.sorted()
        guard !traces.isEmpty else {
            throw Exit.noInput.reporting(
                "\(directory) has no device traces: name a directory with .yaml files, such as "
                    + "manifests/scenarios/traces")
        }
        return try traces.map { file in
            do throws(ManifestProblems) {
                let trace = try ScenarioReader.read(
                    trace: directory + "/" + file, for: manifest, on: scenario)
                Diagnostics.show(trace.warnings)
                return (String(file.dropLast(5)), trace.scenario)
            } catch {
                Diagnostics.show(error.diagnostics)
                throw Exit.badData
            }
        }
    }

    /// Reports the first failed run of each device.
    private func check(
        _ assertions: [Assertion], in devices: [(name: String?, results: [SimulationResult])]
    ) throws {
        var isTrue = true
        func object(_ name: String?, _ result: SimulationResult, _ objection: String) {
            complain((name.map { "\($0), " } ?? "") + "seed \(result.seed): \(objection)")
            isTrue = false
        }
        for assertion in assertions {
            for (name, results) in devices {
                for result in results {
                    guard let objection = try assertion.objection(in: result) else { continue }
                    object(name, result, "not true: \(assertion.text): \(objection)")
                    break
                }
            }
        }
        for (name, results) in devices {
            for result in results {
                for fault in result.faults { object(name, result, fault) }
            }
        }
        if !isTrue { throw Exit.attemptFailed }
    }
}
