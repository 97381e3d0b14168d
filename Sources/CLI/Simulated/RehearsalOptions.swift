// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunSimulation

/// What a simulated device is made from: the values of `DeviceOptions`.
struct RehearsalOptions {
    /// The file; nil: this machine's own device.
    var scenario: String?
    var clock: Rate.Mode?
    var seed: UInt64?

    /// What is to be rehearsed; nil on this machine's own device. Throws what is wrong with the scenario.
    func plan(for manifest: Manifest) throws -> Rehearsal.Plan? {
        guard let scenario else { return nil }
        let reading = try ScenarioReader.read(path: scenario, for: manifest)
        Diagnostics.show(reading.warnings)
        return Rehearsal.Plan(
            scenario: reading.scenario, seed: seed ?? reading.scenario.seed,
            clock: clock ?? .virtual(1))
    }
}
