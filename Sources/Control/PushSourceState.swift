// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// The state of a push source.
package struct PushSourceState: Codable, Equatable, Sendable {
    /// `inbox`, `socket`, `webhook` or `mqtt`.
    package var source: String
    /// Its path or address.
    package var place: String
    /// The reason why it does not work; nil: it works.
    package var problem: String?
    /// The date of the last change of state.
    package var since: WallTime

    package init(source: String, place: String, problem: String?, since: WallTime) {
        self.source = source
        self.place = place
        self.problem = problem
        self.since = since
    }
}
