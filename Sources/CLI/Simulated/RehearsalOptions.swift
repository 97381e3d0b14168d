// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunSimulation

/// The inputs of a simulated device: the values of `DeviceOptions`.
struct RehearsalOptions {
    /// The file; nil: this machine's own device.
    var scenario: String?
    var clock: Rate.Mode?
    var seed: UInt64?

    /// The plan of the rehearsal; nil on this machine's own device. Throws the problems of the scenario.
    func plan(for manifest: Manifest) throws -> Rehearsal.Plan? {
        guard let scenario else { return nil }
        let reading = try ScenarioReader.read(path: scenario, for: manifest)
        Diagnostics.show(reading.warnings)
        return Rehearsal.Plan(
            scenario: reading.scenario, seed: seed ?? reading.scenario.seed,
            clock: clock ?? .virtual(1))
    }
}
