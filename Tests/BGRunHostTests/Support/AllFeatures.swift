// SPDX-License-Identifier: Apache-2.0

import BGRunHooks
import BGRunHost
import BGRunPushes
import BGRunTransfers
import BGRunTriggers
import BGRunVisits

extension [HostFeatureMaker] {
    /// - Parameter watches: Whether changes of files, connections and sources of pushes submit tasks.
    static func all(watches: Bool = true) -> [HostFeatureMaker] {
        [
            Transfers.feature(), Hooks.feature(), Triggers.paths(isOn: watches),
            Triggers.sockets(isOn: watches), Pushes.feature(isListening: watches), Visits.feature(),
        ]
    }
}
