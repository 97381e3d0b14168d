// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunSimulation

extension FuzzTarget {
    /// A scenario for the tasks of a manifest.
    static let scenario = FuzzTarget(
        "scenario", seeds: [SeedFiles("manifests/scenarios", "scenario.yaml")]
    ) { bytes in
        guard let manifest = scenarioManifest else { throw Violation("the manifest is invalid") }
        do {
            let reading = try ScenarioReader.read(
                bytes: bytes, path: "scenario.yaml", for: manifest)
            let hasErrors = reading.warnings.contains { $0.severity == .error }
            try hold(!hasErrors, "an error came with a scenario")
        } catch let problems as ManifestProblems {
            try check(problems, of: bytes)
        }
    }

    /// An arbitrary manifest: the tasks of other scenarios are reported as unknown.
    private static let scenarioManifest = try? readManifest(
        contents("manifests/scenarios/home-server/manifest.yaml"))?.manifest
}
