// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import BGRunCore

/// Compares the decisions, explanations and forecasts of random simulations with those of an earlier
/// build, as digests. With BGRUN_RECORD=1 in the environment the digests are written instead; with
/// BGRUN_SEED=7 the decisions of one seed are written to BGRUN_TRACE, to compare two builds.
@Suite("Recorded decisions", .timeLimit(.minutes(10)))
struct RecordedDecisionsTests {
    private static let steps = 250
    private static let seeds = UInt64(1)...80
    private static let golden = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Golden/decisions.txt")

    @Test("the engine decides, explains and forecasts as it did when this was recorded")
    func decisions() throws {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["BGRUN_SEED"].flatMap(UInt64.init),
            let path = environment["BGRUN_TRACE"]
        {
            return try Self.story(seed).joined(separator: "\n")
                .write(toFile: path, atomically: true, encoding: .utf8)
        }
        let lines = Self.seeds.map { "\($0) \(String(Self.digest(Self.story($0)), radix: 16))" }
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

    /// All that one seed leads to, a line for each event, action, explanation and forecast.
    private static func story(_ seed: UInt64) -> [String] {
        var simulation = Simulation(seed: seed)
        var lines: [String] = []
        for step in 0..<steps {
            let (event, actions) = simulation.step()
            lines.append("\(simulation.world.elapsed) \(event)")
            lines += actions.map { "  \($0)" }
            let world = simulation.world
            guard step % 5 == 0 else { continue }
            if step % 25 == 0 { lines.append("  forecast \(forecast(in: world))") }
            for identifier in simulation.declarations.map(\.identifier) + ["wild.6", "wild.7"] {
                lines.append("  \(identifier) \(describe(identifier, in: world))")
            }
            for attempt in world.engine.running {
                let id = attempt.attempt.id
                let rest = world.engine.timeRemaining(attempt: id, at: world.now)
                lines.append("  \(id) has \(rest.map { "\($0.nanoseconds)" } ?? "no limit")")
            }
        }
        return lines
    }

    private static func describe(_ identifier: String, in world: World) -> String {
        guard let explanation = world.engine.explain(identifier, at: world.wall) else {
            return "unknown"
        }
        let next = explanation.next.map { "\($0.milliseconds)" } ?? "-"
        let lines = explanation.lines.map {
            "\($0.subject) \($0.name): \($0.current), \($0.needed), \($0.isSatisfied), "
                + "\($0.since?.milliseconds ?? 0), \($0.until?.milliseconds ?? 0)"
        }
        return "\(explanation.state) \(explanation.sentence ?? "-") \(next) \(lines)"
    }

    private static func forecast(in world: World) -> [String] {
        let end = world.wall.advanced(by: .seconds(600))
        return world.engine.forecast(to: end, from: world.now).launches.map {
            "\($0.request.identifier) \($0.launched.wall.milliseconds)"
        }
    }

    /// FNV-1a, which is the same in every process.
    private static func digest(_ lines: [String]) -> UInt64 {
        var digest: UInt64 = 0xCBF2_9CE4_8422_2325
        for line in lines {
            for byte in line.utf8 { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01B3 }
        }
        return digest
    }
}
