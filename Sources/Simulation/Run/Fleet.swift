// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy

/// One manifest on many devices: each runs the scenario with every seed.
package struct Fleet: Sendable {
    package let devices: [Device]

    package struct Device: Sendable {
        package let name: String
        package let runs: Ensemble
    }

    /// Uses every core. `scenarios` are those of the devices, by name; must not be empty.
    package init(
        _ configuration: Engine.Configuration, _ scenarios: [(name: String, scenario: Scenario)],
        seed: UInt64, runs: Int
    ) {
        // fits: files of a directory, each run at most a million times
        let results = Ensemble.onEveryCore(scenarios.count * runs) { index in
            let (device, run) = index.quotientAndRemainder(dividingBy: runs)
            return Simulator(
                configuration, scenarios[device].scenario, seed: seed &+ UInt64(clamping: run)
            ).run()
        }
        devices = scenarios.enumerated().map { index, device in
            let own = results.dropFirst(index * runs).prefix(runs)  // fits: at most their count
            return Device(name: device.name, runs: Ensemble(results: Array(own)))
        }
    }

    /// The metrics of the report, with their labels.
    private static let shown = [
        ("launches_per_day", "PER DAY"), ("completed", "OK"), ("failed", "FAILED"),
        ("expired", "EXPIRED"), ("wait_p50", "WAIT p50"), ("wait_p95", "p95"),
        ("wait_max", "max"), ("starved", "STARVED"),
    ]

    /// The estimates for one task from the runs of a device, by the name of the metric.
    private typealias Estimates = [String: (Metric, Ensemble.Estimate?)]

    /// The names of the values that `spread` returns, in order.
    private static let quartiles = ["least", "quarter", "median", "three_quarters", "most"]

    /// The distribution of the means, over the devices that have one.
    private static func spread(
        _ metric: String, over devices: [Estimates]
    ) -> (Metric, quartiles: [Double])? {
        let estimates = devices.compactMap { $0[metric] }
        let means = estimates.compactMap { $0.1?.mean }.sorted()
        guard let metric = estimates.first?.0, !means.isEmpty else { return nil }
        return (metric, quartiles.indices.map { means[(means.count - 1) * $0 / 4] })
    }

    private var identifiers: [String] {
        devices.flatMap(\.runs.identifiers).removingDuplicates()
    }

    /// The report for people: for each task one row per device, and their distribution.
    package var report: String {
        guard let first = devices.first?.runs.results.first else { return "no devices\n" }
        let runs = devices[0].runs.results.count
        var text =
            "\(first.scenario.name) on \(devices.count) devices: \(timeText(first.end)), "
            + (runs == 1
                ? "seed \(first.seed)\n"
                : "\(runs) runs of each, from seed \(first.seed); means\n")
        for identifier in identifiers {
            var rows = [[identifier] + Self.shown.map(\.1)]
            let all = devices.map { $0.runs.estimates(identifier) }
            for (device, estimates) in zip(devices, all) {
                rows.append(
                    ["  " + device.name]
                        + Self.shown.map { name, _ in
                            estimates[name].map { $0.0.text($0.1?.mean) } ?? "-"
                        })
            }
            let spreads = Self.shown.map { Self.spread($0.0, over: all) }
            // The minimum, the median and the maximum.
            for place in [0, 2, 4] {
                rows.append(
                    ["= " + Self.quartiles[place]]
                        + spreads.map { pair in
                            guard let (metric, quartiles) = pair else { return "-" }
                            return metric.text(quartiles[place])
                        })
            }
            text += "\n" + aligned(rows) + "\n"
        }
        for device in devices {
            for result in device.runs.results {
                for fault in result.faults {
                    text += "\n\(device.name), seed \(result.seed): broken promise: \(fault)\n"
                }
            }
        }
        return text
    }

    /// The report for programs: one JSON object on one line. Times are seconds.
    package var json: String {
        guard let first = devices.first?.runs.results.first else { return "{}" }
        let spreads = identifiers.map { identifier in
            let all = devices.map { $0.runs.estimates(identifier) }
            return JSONText.object(
                [("identifier", JSONText.string(identifier))]
                    + Metric.names.map { name in
                        guard let (metric, spread) = Self.spread(name, over: all) else {
                            return (name, "null")
                        }
                        return (
                            name,
                            JSONText.object(
                                zip(Self.quartiles, spread).map {
                                    ($0, SimulationResult.json($1, metric.unit))
                                })
                        )
                    })
        }
        return JSONText.object([
            ("scenario", JSONText.string(first.scenario.name)), ("seed", "\(first.seed)"),
            ("runs", "\(devices[0].runs.results.count)"),
            (
                "devices",
                JSONText.array(
                    devices.map { device in
                        JSONText.object([
                            ("device", JSONText.string(device.name)),
                            ("faults", device.runs.faultsJSON), ("tasks", device.runs.tasksJSON),
                        ])
                    })
            ),
            ("tasks", JSONText.array(spreads)),
        ])
    }
}
