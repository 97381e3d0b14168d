// SPDX-License-Identifier: Apache-2.0

/// Reads the transfers of a host in pages, so that the host can serve other clients in between.
package enum TransferPages {
    /// The unfinished transfers and the newest finished ones, at most `limit`, ordered by id; nil if `ask` returns nil.
    /// - Parameter ask: Sends one request to the host.
    package static func read(
        finished limit: Int, ask: (ControlRequest) throws -> ControlResponse?
    ) rethrows -> [TransferView]? {
        var views: [TransferView] = []
        var start: Int?
        while true {
            guard let response = try ask(ControlRequest(.transfers, limit: limit, from: start))
            else { return nil }
            views += response.transfers ?? []
            // A `next` that does not increase would cause an endless loop.
            guard let next = response.next, next > start ?? 0 else { return views }
            start = next
        }
    }
}
