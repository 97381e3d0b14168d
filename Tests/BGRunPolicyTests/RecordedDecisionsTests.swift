// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import Foundation
import Testing

@testable import BGRunEventLog
@testable import BGRunPolicy

/// Compares the decisions, explanations and forecasts of random simulations with those of an earlier
/// build, as digests. With BGRUN_RECORD=1 in the environment it writes the digests instead; with
/// BGRUN_SEED=7 it writes the decisions of one seed to BGRUN_TRACE, to compare two builds.
@Suite("Recorded decisions", .timeLimit(.minutes(10)))
struct RecordedDecisionsTests {
    private static let steps = 250
    private static let seeds = UInt64(1)...80
    private static let golden = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Golden/decisions.txt")

    @Test("decisions, explanations and forecasts of the engine equal the recorded ones")
    func decisions() throws {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["BGRUN_SEED"].flatMap(UInt64.init),
            let path = environment["BGRUN_TRACE"]
        {
            var story = Story(isTraced: true)
            story.tell(seed, steps: Self.steps)
            return try story.lines.joined(separator: "\n")
                .write(toFile: path, atomically: true, encoding: .utf8)
        }
        let lines = Self.seeds.map { seed in
            var story = Story(isTraced: false)
            story.tell(seed, steps: Self.steps)
            return "\(seed) \(String(Digest.of(story.writer.bytes), radix: 16))"
        }
        if environment["BGRUN_RECORD"] == "1" {
            try (lines.joined(separator: "\n") + "\n")
                .write(to: Self.golden, atomically: true, encoding: .utf8)
        }
        let recorded = try String(contentsOf: Self.golden, encoding: .utf8).split(separator: "\n")
        let changed = zip(lines, recorded).filter { $0 != $1 }.map { $0.0.prefix { $0 != " " } }
        #expect(lines.count == recorded.count)
        #expect(
            changed.isEmpty,
            "compare BGRUN_SEED=\(changed.first ?? "") BGRUN_TRACE=FILE of both builds")
    }

    /// The events and actions of one seed, encoded as in the journal: reflection would be slow beside
    /// tests that load libraries.
    private struct Story {
        let isTraced: Bool
        var writer = WireWriter()
        var lines: [String] = []

        mutating func tell(_ seed: UInt64, steps: Int) {
            var simulation = Simulation(seed: seed)
            for step in 0..<steps {
                let (event, actions) = simulation.step()
                writer.put(event)
                writer.put(actions)
                if isTraced {
                    lines.append("\(simulation.world.elapsed) \(event)")
                    lines += actions.map { "  \($0)" }
                }
                if step % 5 == 0 { look(at: simulation) }
                if step % 25 == 0 { forecast(in: simulation.world) }
            }
        }

        private mutating func add(_ text: String) {
            writer.put(text)
            if isTraced { lines.append("  " + text) }
        }

        private mutating func look(at simulation: Simulation) {
            let world = simulation.world
            for identifier in simulation.declarations.map(\.identifier) + ["wild.6", "wild.7"] {
                add("\(identifier) \(Self.describe(identifier, in: world))")
            }
            for running in world.engine.running {
                let id = running.attempt.id
                let rest = world.engine.timeRemaining(attempt: id, at: world.now)
                add("\(id) has \(rest.map { "\($0.nanoseconds)" } ?? "no limit")")
            }
        }

        private static func describe(_ identifier: String, in world: World) -> String {
            guard let explanation = world.engine.explain(identifier, at: world.wall) else {
                return "unknown"
            }
            let lines = explanation.lines.map {
                "\($0.subject.rawValue) \($0.name): \($0.current), \($0.needed), \($0.satisfied)"
                    + " \($0.since?.milliseconds ?? 0) \($0.until?.milliseconds ?? 0)"
                    + ($0.note.map { " \($0.rawValue)" } ?? "")
            }
            let next = explanation.next?.milliseconds ?? 0
            return "\(explanation.sentence ?? "-") \(next) \(lines.joined(separator: "; "))"
        }

        private mutating func forecast(in world: World) {
            let end = world.wall.advanced(by: .seconds(600))
            var forecast = Forecast(of: world.engine, to: end, from: world.now)
            forecast.advance(by: 20)
            for launch in forecast.launches {
                add("then \(launch.request.identifier) \(launch.launched.wall.milliseconds)")
            }
        }
    }
}
