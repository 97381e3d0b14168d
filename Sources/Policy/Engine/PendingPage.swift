// SPDX-License-Identifier: Apache-2.0

extension PendingRequests {
    /// The requests in at most `limit` places from `start`, unordered, with the key of their launch order, and the next
    /// place, nil after the last. Ends with the request that makes it `size` bytes of text or more.
    func page(from start: Int, limit: Int, size: Int = .max) -> (
        requests: [(order: Int64, request: TaskRequest)], next: Int?
    ) {
        var place = min(max(0, start), places.count)
        let end = place + min(max(1, limit), places.count - place)
        var page: [(Int64, TaskRequest)] = []
        var left = size
        while place < end, left > 0 {
            if places[place].index != .free {
                page.append((places[place].key, requests[place]))
                left -= requests[place].textSize
            }
            place += 1
        }
        return (page, place < places.count ? place : nil)
    }

    /// Visits every pending request with its place, in an arbitrary order.
    func visit(_ body: (Engine.Snapshot.Pending) -> Void) {
        for slot in places.indices {
            let stage: Engine.Snapshot.Stage
            switch places[slot].index {
            case .free: continue
            case .delayed: stage = .delayed(until: places[slot].key)
            case .ready: stage = .ready
            case .parked: stage = .parked
            }
            body(
                Engine.Snapshot.Pending(
                    request: requests[slot], placed: places[slot].placed,
                    since: places[slot].since, stage: stage))
        }
    }
}

extension TaskRequest {
    /// Bytes of its texts, whose length only the submitter limits.
    fileprivate var textSize: Int {
        [
            identifier.utf8.count, parameters?.utf8.count ?? 0, annotations.text?.utf8.count ?? 0,
        ].saturatingSum
    }
}

extension Engine {
    /// A page of all pending requests, unordered, in time proportional to `limit`; `order` and then the id give the
    /// launch order. While `pendingNumbering` stays the same, only requests that come or go between two calls may be
    /// missing, and none occurs twice.
    ///
    /// - Parameter start: 0, then the `next` of the last call until that is nil.
    package func pendingPage(from start: Int, limit: Int) -> (
        requests: [(order: Int64, request: TaskRequest)], next: Int?
    ) {
        pending.page(from: start, limit: limit)
    }

    /// Changes when another manifest renumbers the places of `pendingPage`.
    package var pendingNumbering: UInt32 { pending.numbering }
}

/// Iterates over all pending requests of an engine that continues meanwhile. It returns each request that stays
/// pending; a later page may have a newer copy of one that is submitted again, or after a reload.
package struct PendingCursor: Sendable {
    private var place: Int? = 0
    private var numbering: UInt32?

    package init() {}

    /// Whether the last page was returned.
    package var isAtEnd: Bool { place == nil }

    /// The next page, in time proportional to `limit`; it may be empty.
    /// - Parameters:
    ///   - limit: The maximum number of requests.
    ///   - size: The page ends with the request that makes it this many bytes of text.
    package mutating func next(in engine: Engine, limit: Int, size: Int) -> [TaskRequest] {
        guard let start = place else { return [] }
        // Another manifest renumbers the places: the next ones may now be before `place`.
        let isSame = numbering == nil || numbering == engine.pending.numbering
        numbering = engine.pending.numbering
        let page = engine.pending.page(from: isSame ? start : 0, limit: limit, size: size)
        place = page.next
        return page.requests.map(\.request)
    }
}
