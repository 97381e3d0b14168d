// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// An unfinished transfer of an imagined device.
struct SimulatedTransfer: Sendable {
    /// Its place among the scenario's.
    let model: Int
    var transfer: Transfer
    /// When it was submitted, or its earliest date came: nanoseconds after the scenario's beginning.
    let due: Int64
    var random: SeededGenerator
    /// Bytes at which this try is cut off; nil: it is not.
    var cutAt: Int64?
    /// What it waits for; nil: it may move.
    var wait: TransferWait?
    /// Bytes a second it gets of the network.
    var share: Int64 = 0

    /// Whether it is under way.
    var isMoving: Bool { transfer.progress.isRunning }

    /// Its connection is gone; what is there stays there only when the server can continue from it.
    mutating func stop(resuming: Bool) {
        transfer.progress.isRunning = false
        if !resuming { transfer.progress.bytes = 0 }
        cutAt = nil
        share = 0
    }
}
