// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy

/// An unfinished transfer of a simulated device.
struct SimulatedTransfer: Sendable {
    /// Its index among those of the scenario.
    let model: Int
    var transfer: Transfer
    /// Its submission, or its earliest date if later: nanoseconds after the scenario's beginning.
    let due: Int64
    var random: SeededGenerator
    /// The number of bytes after which this try is interrupted; nil: never.
    var cutAt: Int64?
    /// The reason why it waits; nil: it may progress.
    var wait: TransferWait?
    /// Its share of the network, in bytes per second.
    var share: Int64 = 0

    /// Whether it is active.
    var isMoving: Bool { transfer.progress.isRunning }

    /// Ends its connection; keeps the received bytes only if the server can continue from there.
    mutating func stop(resuming: Bool) {
        transfer.progress.isRunning = false
        if !resuming { transfer.progress.bytes = 0 }
        cutAt = nil
        share = 0
    }
}

/// A transfer of the manifest, with its settings in a scenario.
struct TransferModel: Equatable, Sendable {
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
