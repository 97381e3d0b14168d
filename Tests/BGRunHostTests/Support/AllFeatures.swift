// SPDX-License-Identifier: Apache-2.0

import BGRunHooks
import BGRunHost
import BGRunPolicy
import BGRunTriggers
import BGRunVisits

@testable import BGRunPushes
@testable import BGRunTransfers

extension [HostFeatureMaker] {
    /// - Parameter watches: Whether changes of files, connections and pushes submit tasks.
    static func all(watches: Bool = true) -> [HostFeatureMaker] {
        [
            Transfers.feature(), Hooks.feature(), Triggers.paths(isOn: watches),
            Triggers.sockets(isOn: watches), Pushes.feature(isListening: watches), Visits.feature(),
        ]
    }
}

extension Host {
    /// Handles a change of the transfers' database by a command.
    func lookAtTransfers() { feature(TransfersFeature.self)?.coordinator.lookAgain() }

    /// The messages that wait for an attempt of `identifier`, the oldest first.
    func heldPushes(of identifier: String) -> [PushMessage] {
        feature(PushesFeature.self)?.held(of: identifier) ?? []
    }
}
