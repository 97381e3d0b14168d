// SPDX-License-Identifier: Apache-2.0

public import BGRunCore
import GRDB

extension Store {
    /// Every message that is held, the oldest first; with `identifier` those of one task.
    public func heldPushes(of identifier: String? = nil) throws(StoreError) -> [PushMessage] {
        try fetch(
            """
            SELECT id, identifier, payload, collapse_id, priority, received, expires, request
            FROM push \(identifier == nil ? "" : "WHERE identifier = ?") ORDER BY id
            """,
            StatementArguments(identifier.map { [$0] } ?? [])
        ) {
            PushMessage(
                id: $0[0], identifier: $0[1], payload: $0[2], collapseID: $0[3], priority: $0[4],
                received: WallTime(milliseconds: $0[5]),
                expires: ($0[6] as Int64?).map { WallTime(milliseconds: $0) }, request: $0[7])
        }
    }

    /// The id the next message gets.
    public func nextPushID() throws(StoreError) -> Int64 {
        let newest = try fetch("SELECT coalesce(max(id), 0) FROM push") { $0[0] as Int64 }
        return max(newest[0] + 1, try fact("next-push"), 1)
    }
}
