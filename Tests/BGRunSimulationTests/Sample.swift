// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy
import BGRunSimulation
import Testing

/// Manifests and scenarios for tests.
enum Sample {
    /// Zones with daylight saving of both hemispheres, of half an hour, without it, and with a skipped day.
    static let zones = [
        "UTC", "Europe/Berlin", "Europe/Dublin", "Europe/Moscow", "America/New_York",
        "America/St_Johns", "America/Sao_Paulo", "America/Santiago", "America/Havana",
        "Africa/Cairo", "Africa/Casablanca", "Asia/Kolkata", "Asia/Kathmandu", "Asia/Tehran",
        "Asia/Pyongyang", "Australia/Lord_Howe", "Pacific/Auckland", "Pacific/Chatham",
        "Pacific/Apia", "Pacific/Kiritimati",
    ]

    /// The root of the source tree.
    static let root = String(
        #filePath.split(separator: "/").dropLast(3).reduce(into: "") { $0 += "/" + $1 })

    /// Changes of the device take effect at once, so that results can be computed by hand.
    static let unsettled =
        "power_gained_after: 0s, power_lost_after: 0s, network_gained_after: 0s, "
        + "network_lost_after: 0s"

    static func manifest(_ tasks: String, policy: String = "{\(unsettled)}") throws -> Manifest {
        let text = """
            bgrun: 1
            app: com.app
            modes: [fetch, processing, remote-notification]
            permitted_identifiers: [com.app.*]
            plugins: {exec: exec}
            policy: \(policy)
            tasks:
            \(tasks)
            """
        return try ManifestReader.read(
            bytes: Array(text.utf8), path: "manifest.yaml", directory: "/",
            options: ManifestReader.Options(checksFiles: false)
        ).manifest
    }

    static func task(_ name: String, _ keys: String) -> String {
        "  com.app.\(name): {handler: exec.run, parameters: {command: x}, \(keys)}\n"
    }

    static func scenario(_ text: String, for manifest: Manifest) throws -> Scenario {
        try ScenarioReader.read(
            bytes: Array(("scenario: 1\nstart: 2026-03-02 08:00\n" + text).utf8),
            path: "scenario.yaml", for: manifest
        ).scenario
    }

    static func run(
        _ tasks: String, policy: String = "{\(unsettled)}", _ scenario: String, seed: UInt64 = 1
    ) throws -> SimulationResult {
        let manifest = try manifest(tasks, policy: policy)
        return Simulator(
            manifest.engineConfiguration, try Self.scenario(scenario, for: manifest), seed: seed,
            recordsSpans: true
        ).run()
    }

    /// Runs a shipped scenario with its own seed.
    static func shipped(
        _ name: String, scenario: String = "scenario", seed: UInt64? = nil
    ) throws -> SimulationResult {
        let folder = root + "/manifests/scenarios/" + name
        let manifest = try ManifestReader.read(
            path: folder + "/manifest.yaml", options: ManifestReader.Options(checksFiles: false))
        #expect(manifest.warnings.isEmpty)
        let reading = try ScenarioReader.read(
            path: "\(folder)/\(scenario).yaml", for: manifest.manifest)
        return Simulator(
            manifest.manifest.engineConfiguration, reading.scenario,
            seed: seed ?? reading.scenario.seed, recordsSpans: true
        ).run()
    }
}

extension SimulationResult {
    func tally(_ name: String) throws -> TaskTally {
        try #require(tallies.first { $0.identifier.hasSuffix("." + name) })
    }

    /// `at=outcome` of every attempt of `name`, in seconds.
    func attempts(_ name: String) throws -> [String] {
        try tally(name).spans.compactMap { span in
            guard case .ran(_, let outcome) = span.state else { return nil }
            var word = outcome.name
            if case .expired(let reason, _) = outcome { word = reason.name }
            return "\(span.from / 1_000_000_000)-\(span.to / 1_000_000_000) \(word)"
        }
    }
}
