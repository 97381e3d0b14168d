// SPDX-License-Identifier: Apache-2.0

import BGRunManifest

/// A transfer of the manifest, with its settings in a scenario.
struct TransferModel: Hashable, Sendable {
    let definition: TransferDefinition
    /// The tasks that are submitted after its success, and after its failure.
    let launches: [String]
    let launchesOnFailure: [String]
    /// The bytes of its file.
    var size: Int64 = 10_000_000
    /// The probability that a try is interrupted, from 0 to 1.
    var cutProbability = 0.0
    /// Whether the server can continue an interrupted try.
    var canResume = true
}
