// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

extension Store {
    /// Every held message, the oldest first; with `identifier` those of one task.
    package func heldPushes(of identifier: String? = nil) throws(StoreError) -> [PushMessage] {
        try fetch(
            """
            SELECT id, identifier, payload, collapse_id, priority, received, expires, request
            FROM push \(identifier == nil ? "" : "WHERE identifier = ?") ORDER BY id
            """,
            identifier.map { [.text($0)] } ?? []
        ) {
            PushMessage(
                id: try $0.ordinal(0), identifier: try $0[1], payload: try $0[2],
                collapseID: try $0[3], priority: try $0[4], received: try $0.date(5),
                expires: try $0.optionalDate(6), request: try $0[7])
        }
    }

    /// The id of the next message.
    package func nextPushID() throws(StoreError) -> Int64 {
        let newest = try fetch("SELECT coalesce(max(id), 0) FROM push") { try $0.id(0) }
        return max((newest.first ?? 0) + 1, try fact("next-push"), 1)
    }
}
