// SPDX-License-Identifier: Apache-2.0

import BGRunHostSimulation
import Foundation
import Testing

@Suite("A whole host in simulated time", .timeLimit(.minutes(10)))
struct SeedTests {
    /// BGRUN_HOST_SEEDS sets the number of seeds, and BGRUN_HOST_SEED the first one.
    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap(UInt64.init)
    }

    @Test("keeps its promises despite faults")
    func seeds() async throws {
        let first = Self.number("BGRUN_HOST_SEED") ?? 1
        let count = Self.number("BGRUN_HOST_SEEDS") ?? 100
        // On a separate thread: the other tests share few threads.
        let summary = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(returning: HostSimulation.run(seeds: first..<first + count))
            }
        }
        #expect(summary.failure == nil)
        if let violation = summary.violation {
            let run = try HostSimulation.run(seed: violation.seed, isTracing: true)
            Issue.record("\(violation)\n\(run.lines.suffix(40).joined(separator: "\n"))")
        }
        print("host simulation: \(summary.seeds) seeds, \(summary.counts)")
        // Without faults the run would prove nothing; a few seeds do not have each of them.
        guard count >= 100, summary.violation == nil else { return }
        for (name, value) in Mirror(reflecting: summary.counts).children {
            let count = try #require(value as? Int)
            #expect(count > 0, "\(name ?? "")")
        }
    }

    /// With BGRUN_RECORD=1 in the environment, it writes the digests first.
    @Test("produces the recorded story of a seed")
    func recorded() throws {
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Golden/stories.txt")
        let lines = try (UInt64(1)...150).map { seed in
            "\(seed) \(String(try HostSimulation.run(seed: seed).digest, radix: 16))"
        }
        if ProcessInfo.processInfo.environment["BGRUN_RECORD"] == "1" {
            try (lines.joined(separator: "\n") + "\n")
                .write(to: path, atomically: true, encoding: .utf8)
        }
        let recorded = try String(contentsOf: path, encoding: .utf8).split(separator: "\n")
        let changed = zip(lines, recorded).filter { $0 != $1 }.map { $0.0.prefix { $0 != " " } }
        #expect(lines.count == recorded.count)
        #expect(
            changed.isEmpty,
            "compare `bgrun-host-simulator --seed \(changed.first ?? "") --verbose` of both builds")
    }

    @Test("produces the same story for the same seed", arguments: [8, 21, 64] as [UInt64])
    func deterministic(seed: UInt64) throws {
        let first = try HostSimulation.run(seed: seed)
        let second = try HostSimulation.run(seed: seed, isTracing: true)
        #expect(first.digest == second.digest && first.violation == nil)
        #expect(first.lines.isEmpty && !second.lines.isEmpty)
        #expect(try HostSimulation.run(seed: seed + 1).digest != first.digest)
    }
}
