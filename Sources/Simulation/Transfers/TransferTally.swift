// SPDX-License-Identifier: Apache-2.0

/// The results of one transfer of the manifest. Times are nanoseconds.
package struct TransferTally: Equatable, Sendable {
    package let name: String
    /// The number of submissions, including repeats.
    package internal(set) var submitted = 0
    package internal(set) var completed = 0
    /// Failed, or cancelled by a force-quit.
    package internal(set) var failed = 0
    /// Interrupted tries.
    package internal(set) var cuts = 0
    /// The number of stops because a condition was lost.
    package internal(set) var pauses = 0
    /// Bytes over the network; repeated ones count again.
    package internal(set) var moved: Int64 = 0
    /// The same on metered networks.
    package internal(set) var movedMetered: Int64 = 0
    /// The times from being due to each completion.
    package internal(set) var lengths: [Int64] = []
    /// The inactive time, by reason.
    package internal(set) var blocked: [String: Int64] = [:]
    /// If unfinished at the scenario's end: the bytes transferred, and their total.
    package internal(set) var unfinished: Part?

    package struct Part: Equatable, Sendable {
        package var bytes: Int64
        package var size: Int64
    }
}

extension Metric {
    /// The names of the metrics of a transfer, which differ from those of tasks.
    static let ofTransfers = TransferTally(name: "").metrics.map(\.0.name)
}

extension TransferTally {
    /// Every metric; nil without measurements.
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
