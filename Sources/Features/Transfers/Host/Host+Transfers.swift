// SPDX-License-Identifier: Apache-2.0

import BGRunHost
import BGRunPolicy

extension Host {
    private var transfers: TransfersFeature? { feature() }

    /// A command has changed something in the database.
    package func lookAtTransfers() { transfers?.coordinator.lookAgain() }

    /// The unfinished transfers and so many finished ones, the newest, and how each stands.
    package func transferStandings(finished limit: Int) -> [TransferStatus] {
        transfers?.coordinator.standings(finished: limit) ?? []
    }

    /// Whether a transfer moves, or soon will without anything that happens but time.
    package var transfersMove: Bool { transfers?.coordinator.isMoving ?? false }

    /// A person requests a transfer of the manifest now: unless it is under way it is submitted, whatever
    /// date it waits for.
    package func submitTransfer(_ name: String) { transfers?.submit(declared: name) }
}
