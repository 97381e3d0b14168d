// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy
import Foundation
import Testing

@testable import BGRunSimulation

/// Compares the runs of random scenarios with those of an earlier build, as digests. With
/// BGRUN_RECORD=1 in the environment the digests are written instead; with BGRUN_SEED=7 the JSON of
/// one run is written to BGRUN_TRACE, to compare two builds.
@Suite("Recorded runs", .timeLimit(.minutes(10)))
struct RecordedRunTests {
    private static let seeds = UInt64(1)...40
    private static let golden = "\(Sample.root)/Tests/BGRunSimulationTests/Golden/random.txt"

    @Test("a random scenario has the recorded run")
    func runs() throws {
        let environment = ProcessInfo.processInfo.environment
        let zones = try Sample.zones.map { try ZoneRules.named($0) }
        func run(_ seed: UInt64) -> SimulationResult {
            let made = RandomScenario(seed: seed, zones: zones)
            return Simulator(made.configuration, made.scenario, seed: seed).run()
        }
        if let seed = environment["BGRUN_SEED"].flatMap(UInt64.init),
            let path = environment["BGRUN_TRACE"]
        {
            return try run(seed).json.write(toFile: path, atomically: true, encoding: .utf8)
        }
        let lines = Self.seeds.map { seed in
            let result = run(seed)
            let text =
                result.json + result.report + result.timeline(width: 100, hasColor: true)
            return "\(seed) \(String(Self.digest(text), radix: 16))"
        }
        if environment["BGRUN_RECORD"] == "1" {
            try (lines.joined(separator: "\n") + "\n")
                .write(toFile: Self.golden, atomically: true, encoding: .utf8)
        }
        let recorded = try String(contentsOfFile: Self.golden, encoding: .utf8)
            .split(separator: "\n")
        let changed = zip(lines, recorded).filter { $0 != $1 }.map { $0.0.prefix { $0 != " " } }
        #expect(lines.count == recorded.count)
        #expect(
            changed.isEmpty,
            "compare BGRUN_SEED=\(changed.first ?? "") BGRUN_TRACE=FILE of both builds")
    }

    /// FNV-1a, which gives the same hash in every process.
    private static func digest(_ text: String) -> UInt64 {
        text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}
