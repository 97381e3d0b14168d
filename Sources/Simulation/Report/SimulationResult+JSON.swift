// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy

extension SimulationResult {
    /// The report for programs: one JSON object on one line. Times are seconds.
    package var json: String {
        JSONText.object([
            ("scenario", JSONText.string(scenario.name)), ("seed", "\(seed)"),
            ("zone", JSONText.string(scenario.zone.name)),
            ("start", JSONText.string(civil(at: 0).text)),
            ("duration", Self.seconds(Double(end))), ("events", "\(events)"),
            ("budget", budgetJSON),
            ("faults", JSONText.array(faults.map(JSONText.string))),
            ("tasks", JSONText.array(tallies.map(json))), ("transfers", transfersJSON),
        ])
    }

    /// Pairs of an instant and the running time spent by then.
    private var budgetJSON: String {
        guard budgetLimit > .zero else { return "null" }
        let points = budget.points.map { point in
            JSONText.array([
                Self.seconds(Double(point.at)), Self.seconds(Double(point.spent.nanoseconds)),
            ])
        }
        return JSONText.object([
            ("limit", Self.seconds(Double(budgetLimit.nanoseconds))),
            ("points", JSONText.array(points)),
        ])
    }

    private func json(_ tally: TaskTally) -> String {
        let metrics = Metric.all(of: tally, until: end).map { metric, value in
            (key: metric.name, value: Self.json(value, metric.unit))
        }
        let refusals = tally.refusals.sorted { $0.key < $1.key }.map { ($0.key, "\($0.value)") }
        return JSONText.object(
            [
                ("identifier", JSONText.string(tally.identifier)),
                ("kind", tally.kind.map { JSONText.string($0.name) } ?? "null"),
            ] + metrics + [
                ("refusals", JSONText.object(refusals)),
                ("launched", JSONText.array(tally.launched.map { Self.seconds(Double($0)) })),
            ])
    }

    static func json(_ value: Double?, _ unit: Metric.Unit) -> String {
        guard let value else { return "null" }
        return unit == .time ? seconds(value) : number(value)
    }

    private static func seconds(_ nanoseconds: Double) -> String {
        number((nanoseconds / 1e6).rounded() / 1e3)
    }

    /// The shortest decimal that reads back as the same number; integers without a point.
    private static func number(_ value: Double) -> String {
        value == value.rounded() && value.magnitude < 1e15 ? "\(Int64(value))" : "\(value)"
    }
}
