// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// A metric of a task in the report: its name and unit.
struct Metric: Equatable, Sendable {
    package let name: String
    let unit: Unit

    enum Unit: Equatable, Sendable {
        case count
        /// In nanoseconds.
        case time
    }

    /// Every metric of `tally`; nil without a value, such as the delay of a task that was never launched.
    ///
    /// - Parameter end: The scenario's end, in nanoseconds after its beginning.
    static func all(of tally: TaskTally, until end: Int64) -> [(Metric, Double?)] {
        let days = Double(end) / 86_400e9
        var metrics: [(Metric, Double?)] = [
            count("accepted", tally.accepted), count("launches", tally.launches),
            (Metric(name: "launches_per_day", unit: .count), Double(tally.launches) / days),
            count("completed", tally.completed), count("failed", tally.failed),
            count("expired", tally.expirations), count("refused", tally.refused),
            count("cancelled", tally.cancelled), count("replaced", tally.replaced),
            count("skipped", tally.skipped), count("missed", tally.missed),
            count("retries", tally.retries),
            count("requeues", tally.requeues), count("gave_up", tally.gaveUp),
            count("pending", tally.pendingSince == nil ? 0 : 1),
            count("starved", tally.isStarved(until: end) ? 1 : 0),
            time("ran", tally.ranFor), time("longest_wait", tally.longestWait(until: end)),
            time("longest_gap", tally.longestGap(until: end)),
        ]
        for (name, lengths) in [("delay", tally.delays), ("wait", tally.waits)] {
            let sorted = lengths.sorted()
            metrics += [
                time("\(name)_p50", sorted.percentile(50)),
                time("\(name)_p95", sorted.percentile(95)), time("\(name)_max", sorted.last),
            ]
        }
        metrics += StopReason.allCases.map {
            count("expired_" + $0.name.replacing("-", with: "_"), tally.expired[$0] ?? 0)
        }
        metrics += blockers.map { time("blocked_\($0.metric)", tally.blocked[$0.blocker] ?? 0) }
        return metrics
    }

    /// The names of all metrics.
    static let names = all(of: TaskTally(identifier: "", kind: nil), until: 1).map(\.0.name)

    private static let blockers: [(metric: String, blocker: String)] =
        [
            ("power", "power: external"), ("network", "network: any"),
            ("unmetered", "network: unmetered"), ("idle", "idle: true"),
            ("battery", "battery: not-low"),
        ]
        + PlainReading.all.filter { $0.required != nil }.flatMap { reading in
            reading.condition.names.map { (reading.name, $0) }
        }

    static func count(_ name: String, _ value: some BinaryInteger) -> (Metric, Double?) {
        (Metric(name: name, unit: .count), Double(value))
    }

    static func time(_ name: String, _ value: Int64?) -> (Metric, Double?) {
        (Metric(name: name, unit: .time), value.map(Double.init))
    }
}

extension TaskTally {
    /// The time after which a due request has starved. Features 5.1: two days is the target.
    static let starvation = Interval.days(2)

    /// The longest time for which a request was due and not launched, including the present one.
    func longestWait(until end: Int64) -> Int64 {
        max(waits.max() ?? 0, pendingSince.map { max(0, end - $0) } ?? 0)
    }

    /// The longest time without a launch, from the scenario's beginning to its end.
    func longestGap(until end: Int64) -> Int64 {
        zip([0] + launched, launched + [end]).map { $1 - $0 }.max() ?? end
    }

    /// Whether a request was due for more than two days without a launch.
    package func isStarved(until end: Int64) -> Bool {
        longestWait(until: end) > Self.starvation.nanoseconds
    }
}

extension SimulationResult {
    /// The scenario's end, in nanoseconds after its beginning.
    package var end: Int64 { scenario.duration.nanoseconds }

    /// The values of the metrics of `tally` for people, by name.
    package func texts(of tally: TaskTally) -> [String: String] {
        Dictionary(
            Metric.all(of: tally, until: end).map { ($0.0.name, $0.0.text($0.1)) },
            uniquingKeysWith: { $1 })
    }
}

extension [Int64] {
    /// The nearest-rank percentile of ascending values; nil without any.
    func percentile(_ percent: Int) -> Int64? {
        isEmpty ? nil : self[Swift.max(0, (count * percent + 99) / 100 - 1)]
    }
}
