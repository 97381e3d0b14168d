// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

extension Store {
    /// The state that a starting host must restore: that of the engine, and the attempts whose host died before it
    /// recorded their end, except those whose requests were cancelled since.
    ///
    /// An interrupted attempt stays open until the host ends it with `endAttempt`, in the same
    /// `apply` as the `putRequest` that requeues it.
    package func restoration() throws(StoreError) -> (Engine.Restoration, [InterruptedAttempt]) {
        (try restoration(with: pending(limit: .max)), try interruptedAttempts())
    }

    /// The attempts that `restoration` returns.
    package func interruptedAttempts() throws(StoreError) -> [InterruptedAttempt] {
        try openAttempts(isCancelled: false)
    }

    /// Attempts whose host died before it recorded their end, and whose requests were cancelled since.
    package func cancelledAttempts() throws(StoreError) -> [InterruptedAttempt] {
        try openAttempts(isCancelled: true)
    }

    private func openAttempts(isCancelled: Bool) throws(StoreError) -> [InterruptedAttempt] {
        let cancelled = Set(try facts("cancelled").map(\.0))
        guard !isCancelled || !cancelled.isEmpty else { return [] }
        return try running().filter { cancelled.contains(String($0.attempt.id)) == isCancelled }
            .map { InterruptedAttempt(id: $0.attempt.id, request: $0.attempt.request) }
    }

    /// The part of the engine's state for an event about `identifier`, in a time that does not grow with the pending
    /// requests.
    package func restoration(of identifier: String) throws(StoreError) -> Engine.Restoration {
        let request = try request(identifier)
        var restoration = try restoration(with: request.map { [$0] } ?? [])
        for kind in TaskKind.allCases {
            let others = try pendingCount(kind: kind) - (request?.kind == kind ? 1 : 0)
            restoration.notLoaded[kind] = max(0, others)
        }
        return restoration
    }

    private func restoration(
        with requests: [TaskRequest]
    ) throws(StoreError) -> Engine.Restoration {
        Engine.Restoration(
            requests: requests, lastLaunches: try lastLaunches(), facts: try appFacts(),
            nextRequestID: try nextRequestID(), nextAttemptID: try newestAttempt() + 1)
    }

    /// The known facts about the app.
    package func appFacts() throws(StoreError) -> AppFacts {
        AppFacts(entries: try facts("app").map { Fact($0, $1) })
    }

    /// Hooks that must still run, the oldest first.
    package func firings() throws(StoreError) -> [StoredFiring] {
        try fetch("SELECT id, hook, event FROM firing ORDER BY id") {
            StoredFiring(id: try $0.ordinal(0), hook: try $0[1], event: try $0[2])
        }
    }

    /// The memory of hooks, by name.
    package func rememberedOfHooks() throws(StoreError) -> [String: Int64] {
        Dictionary(try facts("hook")) { first, _ in first }
    }

    /// When each plugin was last notified that a person used the app, in milliseconds since 1970.
    package func visits() throws(StoreError) -> [String: Int64] {
        Dictionary(try facts("visit")) { first, _ in first }
    }

    /// When each periodic task was last launched.
    package func lastLaunches() throws(StoreError) -> [String: WallTime] {
        let launches = try facts("launch").map { ($0, WallTime(milliseconds: $1)) }
        return Dictionary(launches) { _, later in later }
    }
}
