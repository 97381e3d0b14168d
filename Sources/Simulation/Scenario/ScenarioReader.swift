// SPDX-License-Identifier: Apache-2.0

import BGRunManifest

package enum ScenarioReader {
    /// Reads the scenario at `path`, a regular file of at most 1 MiB, for the tasks of `manifest`.
    ///
    /// Throws all problems at once. Thread-safe.
    package static func read(
        path: String, for manifest: Manifest
    ) throws(ManifestProblems) -> ScenarioReading {
        try read(bytes: try DocumentKind.scenario.read(path), path: path, for: manifest)
    }

    /// Reads the device of the trace at `path`, a scenario of which only `device` and `suspend` count,
    /// and replaces the device of `scenario`, which is for the tasks of `manifest`.
    ///
    /// Throws all problems of both at once. Thread-safe.
    package static func read(
        trace path: String, for manifest: Manifest, on scenario: Scenario
    ) throws(ManifestProblems) -> ScenarioReading {
        let kind = DocumentKind.deviceTrace
        return try read(try kind.read(path), path, kind, manifest) { decoder, root in
            decoder.decodeTrace(root, on: scenario)
        }
    }

    /// Reads a scenario from memory, as the file `path`.
    package static func read(
        bytes: [UInt8], path: String, for manifest: Manifest
    ) throws(ManifestProblems) -> ScenarioReading {
        try read(bytes, path, .scenario, manifest) { $0.decode($1, path: path) }
    }

    private static func read(
        _ bytes: [UInt8], _ path: String, _ kind: DocumentKind, _ manifest: Manifest,
        _ decode: (inout ScenarioDecoder, Node) -> Scenario?
    ) throws(ManifestProblems) -> ScenarioReading {
        let source = SourceText(bytes: bytes)
        let bag = DiagnosticBag(file: path, source: source)
        var decoder = ScenarioDecoder(bag: bag, manifest: manifest)
        let scenario = kind.tree(of: source, bag: bag).flatMap { decode(&decoder, $0) }
        guard let scenario, !bag.hasErrors else { throw ManifestProblems(diagnostics: bag.sorted) }
        return ScenarioReading(scenario: scenario, warnings: bag.sorted)
    }
}

/// A scenario without errors.
package struct ScenarioReading: Sendable {
    package var scenario: Scenario
    /// In the order of the file.
    package var warnings: [Diagnostic]
}
