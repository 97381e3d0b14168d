// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// Reads the pending requests of a host in pages, so that the host can serve other clients in
/// between.
package enum PendingPages {
    /// The maximum number of rows: the host may belong to another user.
    private static let mostKept = 4_000_000
    /// The maximum number of restarts after a reload of the manifest between two pages.
    private static let mostRestarts = 3

    /// The first `most` pending requests in launch order, and the total count; nil if `ask` returns
    /// nil.
    /// - Parameters:
    ///   - annotation: Returns and counts only requests with this word.
    ///   - ask: Sends one request to the host.
    package static func read(
        first most: Int, annotation: String? = nil, ask: (ControlRequest) throws -> ControlResponse?
    ) rethrows -> (rows: [PendingRow], count: Int)? {
        guard most > ControlRequest.mostRows || annotation != nil else {
            return try ask(ControlRequest(.pending, limit: most)).map {
                ($0.pending ?? [], $0.count ?? 0)
            }
        }
        var rows: [Int64: PendingRow] = [:]
        var count = 0
        var start: Int? = 0
        var numbering: UInt32?
        var restarts = 0
        while let place = start, rows.count < mostKept {
            let request = ControlRequest(
                .pending, limit: ControlRequest.mostRows, from: place, annotation: annotation)
            guard let response = try ask(request) else { return nil }
            let isAnew = place > 0 && response.numbering != numbering
            numbering = response.numbering
            if isAnew, restarts < mostRestarts {
                restarts += 1
                rows.removeAll()
                start = 0
                continue
            }
            // An older host answers with all rows.
            for row in response.pending ?? []
            where annotation.map({ row.annotations?.has($0) ?? false }) ?? true {
                rows[row.id] = row
            }
            count = annotation == nil ? response.count ?? 0 : rows.count
            // A host whose `next` goes backwards would cause an endless loop.
            start = response.next.flatMap { $0 > place ? $0 : nil }
        }
        let inOrder = rows.values.sorted { ($0.order ?? 0, $0.id) < ($1.order ?? 0, $1.id) }
        return (Array(inOrder.prefix(most)), count)
    }
}
