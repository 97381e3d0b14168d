// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// A transfer of the manifest, and what a scenario says of it.
struct TransferModel: Hashable, Sendable {
    /// The name the manifest gives it.
    package var name: String
    var request: TransferRequest
    /// Not before so long after it is submitted.
    var earliest = Interval.zero
    /// Again so long after it has finished; nil: once.
    var every: Interval?
    /// The tasks that are submitted when it is there, and when it is given up.
    var launches: [String] = []
    var launchesOnFailure: [String] = []
    /// The bytes of its file.
    var size: Int64 = 10_000_000
    /// How often a try is cut off before its end, from 0 to 1.
    var cutProbability = 0.0
    /// Whether the server continues where a try was cut off.
    var canResume = true
}
