// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// How a source is.
package struct PushSourceState: Codable, Hashable, Sendable {
    /// `inbox`, `socket`, `webhook` or `mqtt`.
    package var source: String
    /// Where it is: a path or an address.
    package var place: String
    /// What keeps it from working; nil while nothing does.
    package var problem: String?
    /// Since when it is like that, milliseconds since 1970.
    package var since: Int64

    package init(source: String, place: String, problem: String?, since: WallTime) {
        self.source = source
        self.place = place
        self.problem = problem
        self.since = since.milliseconds
    }
}
