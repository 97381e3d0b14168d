// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy
import BGRunSimulation
import Foundation
import Testing

/// Safety: nothing is launched without a required condition, before its date, above a limit, or twice at
/// the same time; every accepted request is launched, pending or cancelled; no endless loop occurs.
/// Liveness: a recurring task that may run does run.
@Suite("Random scenarios", .timeLimit(.minutes(60)))
struct RandomScenarioTests {
    /// `BGRUN_SEED` selects one seed, `BGRUN_SEEDS` the number of seeds.
    static let seeds: [UInt64] = {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["BGRUN_SEED"].flatMap(UInt64.init) { return [seed] }
        return Array(1...(environment["BGRUN_SEEDS"].flatMap(UInt64.init) ?? 150))
    }()

    private static func reproduction(_ seed: UInt64) -> Comment {
        "BGRUN_SEED=\(seed) swift test --filter RandomScenarioTests"
    }

    @Test("the engine keeps its promises in any scenario")
    func safety() throws {
        let zones = try Sample.zones.map { try ZoneRules.named($0) }
        for seed in Self.seeds {
            let made = RandomScenario(seed: seed, zones: zones)
            let result = Simulator(made.configuration, made.scenario, seed: seed).run()
            #expect(result.faults == [], Self.reproduction(seed))
            for tally in result.tallies {
                #expect(
                    tally.launches
                        == tally.completed + tally.failed + tally.expirations + tally.running,
                    Self.reproduction(seed))
            }
        }
    }

    @Test("two runs of a seed are equal")
    func determinism() throws {
        let zones = try Sample.zones.map { try ZoneRules.named($0) }
        for seed in Self.seeds.prefix(50) {
            let made = RandomScenario(seed: seed, zones: zones)
            let runs = (0..<2).map { _ in
                Simulator(made.configuration, made.scenario, seed: seed).run().json
            }
            #expect(runs[0] == runs[1], Self.reproduction(seed))
        }
    }

    @Test(
        "no task starves whose conditions hold together each day", arguments: Sample.zones)
    func liveness(_ name: String) throws {
        // Daylight saving time may begin or end in these weeks.
        for month in [3, 4, 9, 10, 11] as [Int64] {
            let result = try Sample.run(
                Sample.task(
                    "night", "kind: processing, every: 1d, requires: {power: external, idle: true}"),
                """
                zone: \(name)
                duration: 30d
                device:
                  power: [{every: day, at: 21:00, until: 07:00}]
                  idle: [{every: day, at: 23:00, until: 06:00}]
                events: [{at: \(month)d, clock: {back: 40m}}, {at: 12d, clock: {forward: 1h}}]
                """, seed: UInt64(month))
            let tally = try result.tally("night")
            #expect(result.faults == [])
            #expect(tally.completed >= 28, "\(name) in month \(month)")
            #expect(tally.isStarved(until: result.end) == false)
        }
    }

    @Test(
        "a clock that jumps by a year, either way, costs at most the launches of a few days",
        arguments: ["forward", "back"])
    func yearJumps(way: String) throws {
        let result = try Sample.run(
            Sample.task("daily", "kind: app-refresh, every: 1d"),
            """
            duration: 30d
            events: [{at: 250h, clock: {\(way): 365d}}]
            handlers: {"*": {takes: 1s}}
            """)
        #expect(result.faults == [])
        #expect((29...31).contains(try result.tally("daily").launches))
    }
}
