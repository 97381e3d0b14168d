// SPDX-License-Identifier: Apache-2.0

import BGRunHost
import BGRunStorage
import Glibc

/// Where the transfers of an app are, and what moves them.
struct TransferPlace: Hashable, Sendable {
    /// The `bgrun-transferd` executable; nil when it is missing.
    var executable: String?
    var state: StateDirectory

    /// Whether the app has ever had a transfer.
    var exists: Bool { access(state.transfers, F_OK) == 0 }
}
