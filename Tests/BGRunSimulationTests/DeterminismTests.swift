// SPDX-License-Identifier: Apache-2.0

import BGRunDashboard
import BGRunManifest
import BGRunPolicy
import Foundation
import Testing

@testable import BGRunSimulation

@Suite("Determinism of simulated runs", .timeLimit(.minutes(10)))
struct DeterminismTests {
    @Test("two runs are equal to the byte in every format", arguments: ShippedScenarioTests.names)
    func twice(_ name: String) throws {
        let first = try Sample.shipped(name)
        let second = try Sample.shipped(name)
        #expect(first.json == second.json)
        #expect(first.report == second.report)
        #expect(first.page == second.page)
        #expect(
            first.timeline(width: 100, hasColor: true)
                == second.timeline(width: 100, hasColor: true))
    }

    @Test(
        "a run equals the recorded one after any rebuild",
        arguments: ["commuter-phone", "office-laptop", "fourteen-pushes"])
    func golden(_ name: String) throws {
        let result = try Sample.shipped(name)
        let text = result.report + "\n" + result.timeline(width: 100, hasColor: false)
        let path = "\(Sample.root)/Tests/BGRunSimulationTests/Golden/\(name).txt"
        if ProcessInfo.processInfo.environment["BGRUN_RECORD"] == "1" {
            try text.write(toFile: path, atomically: true, encoding: .utf8)
        }
        #expect(text == (try String(contentsOfFile: path, encoding: .utf8)))
    }

    @Test("another seed gives another run if anything is random")
    func otherSeed() throws {
        let first = try Sample.shipped("commuter-phone", seed: 1)
        #expect(first.json != (try Sample.shipped("commuter-phone", seed: 2).json))
    }

    @Test("each run of an ensemble depends only on its seed")
    func ensemble() throws {
        let folder = Sample.root + "/manifests/scenarios/home-server"
        let manifest = try ManifestReader.read(
            path: folder + "/manifest.yaml", options: ManifestReader.Options(checksFiles: false)
        ).manifest
        let scenario = try ScenarioReader.read(path: folder + "/scenario.yaml", for: manifest)
            .scenario
        let configuration = manifest.engineConfiguration
        let ensemble = Ensemble(configuration, scenario, seed: 40, runs: 12)
        #expect(ensemble.results.map(\.seed) == Array(40..<52))
        for result in ensemble.results {
            let alone = Simulator(configuration, scenario, seed: result.seed).run()
            #expect(result.json == alone.json)
        }
        let again = Ensemble(configuration, scenario, seed: 40, runs: 12)
        #expect(ensemble.report == again.report)
        #expect(ensemble.json == again.json)
    }

    @Test("the report for programs is JSON and has every metric of every task, in seconds")
    func json() throws {
        let result = try Sample.shipped("needs-five-minutes")
        let report = try #require(
            try JSONSerialization.jsonObject(with: Data(result.json.utf8)) as? [String: Any])
        let tasks = try #require(report["tasks"] as? [[String: Any]])
        #expect(tasks.count == 3)
        for task in tasks {
            #expect(Set(Metric.names).isSubset(of: task.keys))
        }
        #expect(tasks[2]["wait_max"] as? Double == 9_071)
        #expect(tasks[0]["expired_time"] as? Int == result.tallies[0].expired[.time])
        #expect(
            Set(Metric.names)
                == Set(Metric.all(of: result.tallies[0], until: result.end).map(\.0.name)))
    }

    @Test("a further task does not change the random numbers of the others")
    func streams() throws {
        let scenario = """
            duration: 1d
            handlers: {"*": {takes: {exponential: 10s}}}
            """
        let one = Sample.task("a", "kind: app-refresh, every: 1h")
        let two = Sample.task("b", "kind: processing, every: 1h")
        let alone = try Sample.run(one, scenario).tally("a")
        let together = try Sample.run(two + one, scenario).tally("a")
        #expect(alone.spans.map(\.to) == together.spans.map(\.to))
    }

    @Test("the generator is SplitMix64")
    func generator() {
        var random = SeededGenerator(seed: 1_234_567)
        // Vigna's reference implementation.
        let expected: [UInt64] = [
            6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
        ]
        #expect((0..<3).map { _ in random.next() } == expected)
    }

    @Test(
        "a distribution has the stated mean",
        arguments: [
            (.constant(.seconds(20)), 20), (.uniform(from: .seconds(10), to: .seconds(30)), 20),
            (.normal(mean: .seconds(20), deviation: .seconds(3)), 20),
            (.exponential(mean: .seconds(20)), 20),
        ] as [(Distribution, Double)])
    func means(distribution: Distribution, mean: Double) {
        var random = SeededGenerator(seed: 5, stream: "test")
        let lengths = (0..<20_000).map { _ in
            Double(random.length(of: distribution).nanoseconds) / 1e9
        }
        #expect(abs(lengths.reduce(0, +) / 20_000 - mean) < 0.5)
        #expect(lengths.allSatisfy { $0 > 0 })
    }

    @Test("a confidence interval is that of Student's t")
    func confidence() throws {
        let estimate = try #require(Ensemble.Estimate([1, 2, 3, 4, 5]))
        #expect(estimate.mean == 3)
        // t(0.975, 4) * sqrt(2.5) / sqrt(5)
        #expect(abs(estimate.halfWidth - 1.963) < 0.001)
        #expect(Ensemble.Estimate([7])?.halfWidth == 0)
        #expect(Ensemble.Estimate([]) == nil)
    }

    @Test("Student's t is exact to three digits for up to 31 runs", arguments: 1...30)
    func quantile(freedom: Int) throws {
        let estimate = try #require(Ensemble.Estimate((0...freedom).map(Double.init)))
        // The variance of 0, 1, ..., n - 1 is n (n + 1) / 12.
        let deviation = (Double(freedom + 2) / 12).squareRoot()
        let quantile = estimate.halfWidth / deviation
        #expect(Self.probability(within: quantile - 0.000_6, freedom: freedom) < 0.95)
        #expect(Self.probability(within: quantile + 0.000_6, freedom: freedom) > 0.95)
    }

    /// The probability that Student's t is between `-t` and `t` (Abramowitz and Stegun, 26.7.3 and 26.7.4).
    private static func probability(within t: Double, freedom: Int) -> Double {
        let angle = atan(t / Double(freedom).squareRoot())
        let cosine = cos(angle)
        let isOdd = freedom % 2 == 1
        var term = isOdd ? cosine : 1
        var power = isOdd ? 1 : 0
        var sum = 0.0
        while power <= freedom - 2 {
            sum += term
            power += 2
            term *= cosine * cosine * Double(power - 1) / Double(power)
        }
        return isOdd ? 2 / Double.pi * (angle + sin(angle) * sum) : sin(angle) * sum
    }

    @Test("a time in JSON is in seconds, to the millisecond")
    func milliseconds() {
        #expect(SimulationResult.json(1_500_400_000, .time) == "1.5")
        #expect(SimulationResult.json(1_499_600_000, .time) == "1.5")
    }
}
