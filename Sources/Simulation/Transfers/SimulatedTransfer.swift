// SPDX-License-Identifier: Apache-2.0

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
