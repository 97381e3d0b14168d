// SPDX-License-Identifier: Apache-2.0

public import BGRunStore
import Glibc

/// Where the transfers of an app are, and what moves them.
public struct TransferPlace: Hashable, Sendable {
    /// The `bgrun-transferd` executable; nil when it is missing.
    public var executable: String?
    public var state: StateDirectory

    public init(executable: String?, state: StateDirectory) {
        self.executable = executable
        self.state = state
    }

    /// Whether the app has ever had a transfer.
    var exists: Bool { access(state.transfers, F_OK) == 0 }
}
