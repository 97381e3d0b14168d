// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy

/// An expected result of a simulation, in the user's notation:
///
///     com.example.sync.launches_per_day >= 1
///     sync.wait_max < 12h
///     *.starved == 0
///
/// On the left a task or transfer (its identifier, a unique suffix of it, or `*`) and a metric; on the right a number
/// or time.
package struct Assertion: Sendable {
    /// The text as written.
    package let text: String
    private let task: String
    private let metric: String
    private let holds: @Sendable (_ value: Double, _ bound: Double) -> Bool
    private let bound: Double
    private let boundIsTime: Bool

    /// The signs, the longer ones first, and their meanings.
    private static let comparisons: [(sign: String, holds: @Sendable (Double, Double) -> Bool)] = [
        (">=", { $0 >= $1 }), ("<=", { $0 <= $1 }), ("==", { $0 == $1 }), ("!=", { $0 != $1 }),
        (">", { $0 > $1 }), ("<", { $0 < $1 }),
    ]

    /// The reason why an assertion is invalid, and the remedy.
    package struct Problem: Error, Equatable, Sendable {
        package let message: String
    }

    package init(_ text: String) throws(Problem) {
        self.text = text
        guard
            let (comparison, range) = Self.comparisons.lazy.compactMap({ comparison in
                text.firstRange(of: comparison.sign).map { (comparison, $0) }
            }).first
        else {
            throw Problem(
                message: "`\(text)` compares nothing; write for example "
                    + "`sync.launches_per_day >= 1`")
        }
        holds = comparison.holds
        let left = Self.trimmed(text[..<range.lowerBound])
        let right = Self.trimmed(text[range.upperBound...])
        guard let dot = left.lastIndex(of: "."), dot != left.startIndex else {
            throw Problem(
                message: "`\(left)` in `\(text)` is not a task and metric; write for example "
                    + "`sync.launches_per_day`")
        }
        task = String(left[..<dot])
        let metric = String(left[left.index(after: dot)...])
        self.metric = metric
        let names = Metric.names + Metric.ofTransfers
        guard names.contains(metric) else {
            let nearest = NearMiss.nearest(to: metric, among: names)
            throw Problem(
                message: "`\(text)`: unknown metric `\(metric)`; "
                    + (nearest.map { "did you mean `\($0)`?" }
                        ?? "the metrics are \(names.joined(separator: ", "))"))
        }
        if let number = Double(right) {
            (bound, boundIsTime) = (number, false)
        } else if let length = Interval(manifestText: right) {
            (bound, boundIsTime) = (Double(length.nanoseconds), true)
        } else {
            throw Problem(
                message: "`\(right)` in `\(text)` is neither a number nor a length of time; "
                    + "write for example `1` or `90s`")
        }
    }

    /// Nil if it holds in `result`, else a sentence with the value. A metric without a value never holds.
    package func objection(in result: SimulationResult) throws(Problem) -> String? {
        for subject in try subjects(in: result) {
            guard let (metric, value) = subject.metrics.first(where: { $0.0.name == metric }) else {
                continue
            }
            try checkUnit(of: metric)
            if let value, holds(value, bound) { continue }
            return
                "\(subject.name).\(metric.name) is \(value == nil ? "unknown" : metric.text(value))"
        }
        return nil
    }

    /// A task or a transfer.
    private typealias Subject = (name: String, metrics: [(Metric, Double?)])

    private func subjects(in result: SimulationResult) throws(Problem) -> [Subject] {
        Metric.ofTransfers.contains(metric)
            ? try chosen("transfer", result.transfers.map { ($0.name, $0.metrics) })
            : try chosen(
                "task",
                result.tallies.map { ($0.identifier, Metric.all(of: $0, until: result.end)) })
    }

    private func checkUnit(of metric: Metric) throws(Problem) {
        if metric.unit == .time, !boundIsTime, bound != 0 {
            throw Problem(message: "`\(text)`: \(metric.name) is a time; write a unit, as in `90s`")
        }
        if metric.unit == .count, boundIsTime {
            throw Problem(message: "`\(text)`: \(metric.name) is a number; write it without a unit")
        }
    }

    /// The subjects that the left side names, of all `kind`s.
    private func chosen(_ kind: String, _ all: [Subject]) throws(Problem) -> [Subject] {
        if task == "*" { return all }
        if let exact = all.first(where: { $0.name == task }) { return [exact] }
        let matches = all.filter { $0.name.hasSuffix("." + task) }
        if matches.count == 1 { return matches }
        let names = all.map(\.name)
        if matches.count > 1 {
            throw Problem(
                message: "`\(text)`: `\(task)` may be "
                    + listed(matches.map(\.name), joinedBy: "or") + "; write more of it")
        }
        let parts = names.compactMap { $0.split(separator: ".").last.map(String.init) }
        let nearest = NearMiss.nearest(to: task, among: names + parts)
        throw Problem(
            message: "`\(text)`: unknown \(kind) `\(task)`; "
                + (nearest.map { "did you mean `\($0)`?" }
                    ?? (names.isEmpty
                        ? "the manifest has no \(kind)s" : "the \(kind)s are \(listed(names))"))
        )
    }

    private static func trimmed(_ text: Substring) -> String {
        String(text.drop { $0 == " " }).trimmedAtEnd
    }
}
