// SPDX-License-Identifier: Apache-2.0

import BGRunHooks
import BGRunHost
import BGRunPushes
import BGRunTransfers
import BGRunTriggers
import BGRunVisits

/// The features of every host, one per line.
enum HostFeatures {
    /// - Parameters:
    ///   - transferService: The `bgrun-transferd` executable; nil: it is missing.
    ///   - stateOption: `--state` for other command lines.
    ///   - isSimulated: A scenario determines all events: nothing outside submits tasks, and hooks are
    ///     only logged.
    static func all(
        transferService: String?, stateOption: String, isSimulated: Bool
    ) -> [HostFeatureMaker] {
        [
            Transfers.feature(service: transferService, stateOption: stateOption),
            Hooks.feature(areRun: !isSimulated),
            Triggers.paths(isOn: !isSimulated),
            Triggers.sockets(isOn: !isSimulated),
            Pushes.feature(isListening: !isSimulated),
            Visits.feature(),
        ]
    }
}
