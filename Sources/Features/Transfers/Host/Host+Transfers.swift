// SPDX-License-Identifier: Apache-2.0

import BGRunHost

extension Host {
    private var transfers: TransfersFeature? { feature() }

    /// A command has changed something in the database.
    package func lookAtTransfers() { transfers?.coordinator.lookAgain() }

    /// Whether a transfer moves, or soon will without anything that happens but time.
    package var transfersMove: Bool { transfers?.coordinator.isMoving ?? false }

    /// A person requests a transfer of the manifest now: unless it is under way it is submitted, whatever
    /// date it waits for.
    package func submitTransfer(_ name: String) { transfers?.submit(declared: name) }
}
