// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// A transfer of the manifest, with its settings in a scenario.
struct TransferModel: Hashable, Sendable {
    /// Its name in the manifest.
    package var name: String
    var request: TransferRequest
    /// The minimum time from its submission to its start.
    var earliest = Interval.zero
    /// The time from its end to its next submission; nil: once.
    var every: Interval?
    /// The tasks that are submitted after its success, and after its failure.
    var launches: [String] = []
    var launchesOnFailure: [String] = []
    /// The bytes of its file.
    var size: Int64 = 10_000_000
    /// The probability that a try is interrupted, from 0 to 1.
    var cutProbability = 0.0
    /// Whether the server can continue an interrupted try.
    var canResume = true
}
