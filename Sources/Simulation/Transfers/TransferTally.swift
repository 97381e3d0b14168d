// SPDX-License-Identifier: Apache-2.0

/// What became of one transfer of the manifest. Times are nanoseconds.
package struct TransferTally: Hashable, Sendable {
    package let name: String
    /// How often it was submitted, repeats included.
    package internal(set) var submitted = 0
    package internal(set) var completed = 0
    /// Given up, or cancelled by a force-quit.
    package internal(set) var failed = 0
    /// Tries that were cut off.
    package internal(set) var cuts = 0
    /// Times it was under way and had to stop, since a condition was lost.
    package internal(set) var pauses = 0
    /// Bytes that went over the network, those twice that had to go again.
    package internal(set) var moved: Int64 = 0
    /// The same on metered networks.
    package internal(set) var movedMetered: Int64 = 0
    /// From being due to each completion.
    package internal(set) var lengths: [Int64] = []
    /// Time not under way, by what it waited for.
    package internal(set) var blocked: [String: Int64] = [:]
    /// Unfinished at the scenario's end: the bytes that are there, of how many.
    package internal(set) var unfinished: Part?

    package struct Part: Hashable, Sendable {
        package var bytes: Int64
        package var size: Int64
    }
}

extension Metric {
    /// The names of the metrics of a transfer; none is that of a task's.
    static let ofTransfers = TransferTally(name: "").metrics.map(\.0.name)
}

extension TransferTally {
    /// Every metric, with no value where there is nothing to measure.
    var metrics: [(Metric, Double?)] {
        let sorted = lengths.sorted()
        return [
            Metric.count("transferred", completed), Metric.count("transfers_failed", failed),
            Metric.count("cut_off", cuts), Metric.count("paused", pauses),
            Metric.count("bytes_moved", moved), Metric.count("bytes_metered", movedMetered),
            Metric.count("unfinished", unfinished == nil ? 0 : 1),
            Metric.time("transfer_p50", sorted.percentile(50)),
            Metric.time("transfer_max", sorted.last),
        ]
    }
}
