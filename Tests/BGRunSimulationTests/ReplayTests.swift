// SPDX-License-Identifier: Apache-2.0

import BGRunEventLog
import BGRunManifest
import BGRunPolicy
import BGRunSimulation
import Foundation
import Testing

@Suite("The replay of simulated runs", .timeLimit(.minutes(10)))
struct ReplayTests {
    @Test("the journal of any scenario replays to the same bytes")
    func replay() throws {
        let zones = try Sample.zones.map { try ZoneRules.named($0) }
        for seed in RandomScenarioTests.seeds.prefix(12) {
            let made = RandomScenario(seed: seed, zones: zones)
            let directory = NSTemporaryDirectory() + "bgrun-replay-" + UUID().uuidString
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: directory) }
            let paths = JournalPaths(current: directory + "/new", previous: directory + "/old")
            let journal = try Journal(paths, app: "t", version: "test", bytes: 60_000)
            // The same generator as the simulator passes to its engine.
            var numbers = SeededGenerator(seed: seed, stream: "engine")
            let hasJitter = made.configuration.declarations.contains { $0.jitter > .zero }
            var simulator = Simulator(made.configuration, made.scenario, seed: seed)
            var problem: JournalFailure?
            try journal.begin(
                simulator.engine, at: Instant(elapsed: 0, wall: WallTime(milliseconds: 0)))
            simulator.handled = { event, now, actions, engine in
                do throws(JournalFailure) {
                    try journal.note(
                        event, at: now, random: hasJitter ? numbers.next() : nil, actions,
                        from: engine)
                    try journal.flush()
                } catch { problem = error }
            }
            _ = simulator.run()
            #expect(problem == nil)
            let report = ReplayReport(try JournalImage.read(paths))
            #expect(
                report.isProof && report.events > 0,
                "BGRUN_SEED=\(seed) swift test --filter ReplayTests")
        }
    }
}
