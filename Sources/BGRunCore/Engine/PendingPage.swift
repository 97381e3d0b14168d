// SPDX-License-Identifier: Apache-2.0

extension PendingRequests {
    /// The requests of at most `limit` places from place `start` on, unordered, with the key of
    /// their launch order; and the place to continue at, nil after the last one.
    func page(from start: Int, limit: Int) -> (
        requests: [(order: Int64, request: TaskRequest)], next: Int?
    ) {
        let begin = min(max(0, start), places.count)
        let end = begin + min(max(1, limit), places.count - begin)
        let page = (begin..<end).filter { places[$0].index != .free }
            .map { (places[$0].key, requests[$0]) }
        return (page, end < places.count ? end : nil)
    }
}

extension Engine {
    /// A page of all pending requests, in time proportional to `limit`. Requests that come and go
    /// between two calls may be missing; no other request is missing, and none occurs twice.
    ///
    /// - Parameter start: 0, then the `next` of the call before until that is nil.
    /// - Returns: The requests, unordered; sorting by `order` and then by id yields the launch
    ///   order.
    public func pendingPage(from start: Int, limit: Int) -> (
        requests: [(order: Int64, request: TaskRequest)], next: Int?
    ) {
        pending.page(from: start, limit: limit)
    }
}
