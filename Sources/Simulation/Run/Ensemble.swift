// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy
import Dispatch
import Synchronization

/// Runs of one scenario with the seeds `seed`, `seed + 1`, ...; the output does not depend on the number of cores.
package struct Ensemble: Sendable {
    package let results: [SimulationResult]

    /// Uses every core.
    package init(
        _ configuration: Engine.Configuration, _ scenario: Scenario, seed: UInt64, runs: Int
    ) {
        results = Self.onEveryCore(runs) { index in
            Simulator(configuration, scenario, seed: seed &+ UInt64(clamping: index)).run()
        }
    }

    /// The results of `run` for each number below `count`, in order.
    static func onEveryCore(
        _ count: Int, _ run: @Sendable (_ index: Int) -> SimulationResult
    ) -> [SimulationResult] {
        let slots = Mutex([SimulationResult?](repeating: nil, count: count))
        DispatchQueue.concurrentPerform(iterations: count) { index in
            let result = run(index)
            slots.withLock { $0[index] = result }
        }
        return slots.withLock { $0 }.compactMap { $0 }
    }

    init(results: [SimulationResult]) { self.results = results }

    /// The mean of a metric, and half the width of its 95 % confidence interval.
    struct Estimate {
        let mean: Double
        let halfWidth: Double
        let least: Double
        let most: Double

        /// Nil without values.
        init?(_ values: [Double]) {
            guard let least = values.min(), let most = values.max() else { return nil }
            let count = Double(values.count)
            let mean = values.reduce(0, +) / count
            self.mean = mean
            self.least = least
            self.most = most
            let squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
            halfWidth =
                values.count < 2
                ? 0
                : Self.quantile(freedom: values.count - 1) * (squares / (count - 1)).squareRoot()
                    / count.squareRoot()
        }

        /// Student's t at 97.5 %.
        private static func quantile(freedom: Int) -> Double {
            let table = [
                12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201,
                2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069,
                2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
            ]
            return freedom <= table.count ? table[freedom - 1] : 1.96 + 2.4 / Double(freedom)
        }
    }

    private static let shown = [
        "launches_per_day", "completed", "failed", "expired", "wait_p50", "wait_p95", "wait_max",
        "starved",
    ]

    /// The report for people: mean ± 95 % confidence interval over the runs.
    package var report: String {
        guard let first = results.first else { return "no runs\n" }
        var text =
            "\(first.scenario.name): \(results.count) runs of \(timeText(first.end)), seeds "
            + "\(first.seed) to \(results[results.count - 1].seed); mean ± 95 % confidence\n\n"
        var rows = [["TASK"] + Self.shown.map { $0 == "starved" ? "starved runs" : $0 }]
        for identifier in identifiers {
            let estimates = estimates(identifier)
            rows.append(
                [identifier]
                    + Self.shown.map { name in
                        guard let (metric, estimate) = estimates[name], let estimate else {
                            return "-"
                        }
                        if name == "starved" {
                            let runs = Int(
                                clamping: (estimate.mean * Double(results.count)).rounded())
                            return "\(runs) of \(results.count)"
                        }
                        return metric.text(estimate.mean) + " ± " + metric.text(estimate.halfWidth)
                    })
        }
        text += aligned(rows) + "\n"
        for result in results {
            for fault in result.faults {
                text += "\nseed \(result.seed): broken promise: \(fault)\n"
            }
        }
        return text
    }

    /// The report for programs: one JSON object on one line. Times are seconds.
    package var json: String {
        guard let first = results.first else { return "{}" }
        return JSONText.object([
            ("scenario", JSONText.string(first.scenario.name)), ("seed", "\(first.seed)"),
            ("runs", "\(results.count)"), ("faults", faultsJSON), ("tasks", tasksJSON),
        ])
    }

    var faultsJSON: String { JSONText.array(results.flatMap(\.faults).map(JSONText.string)) }

    var tasksJSON: String {
        let tasks = identifiers.map { identifier in
            let estimates = estimates(identifier)
            let metrics = Metric.names.map { name -> (key: String, value: String) in
                guard let (metric, estimate) = estimates[name], let estimate else {
                    return (name, "null")
                }
                func number(_ value: Double) -> String { SimulationResult.json(value, metric.unit) }
                return (
                    name,
                    JSONText.object([
                        ("mean", number(estimate.mean)),
                        ("half_width", number(estimate.halfWidth)),
                        ("least", number(estimate.least)), ("most", number(estimate.most)),
                    ])
                )
            }
            return JSONText.object([("identifier", JSONText.string(identifier))] + metrics)
        }
        return JSONText.array(tasks)
    }

    /// In the order of their first appearance, run by run.
    var identifiers: [String] {
        results.flatMap { $0.tallies.map(\.identifier) }.removingDuplicates()
    }

    func estimates(_ identifier: String) -> [String: (Metric, Estimate?)] {
        var values: [String: (metric: Metric, values: [Double])] = [:]
        for result in results {
            guard let tally = result.tallies.first(where: { $0.identifier == identifier }) else {
                continue
            }
            for (metric, value) in Metric.all(of: tally, until: result.end) {
                values[metric.name, default: (metric, [])].values += value.map { [$0] } ?? []
            }
        }
        return values.mapValues { ($0.metric, Estimate($0.values)) }
    }
}
