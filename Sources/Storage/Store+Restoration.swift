// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

extension Store {
    /// What a host that starts must know: the state of the engine, and the attempts whose host died
    /// before it recorded their end.
    ///
    /// An interrupted attempt stays open until the host ends it with `endAttempt`, in the same
    /// `apply` as the `putRequest` that requeues it.
    package func restoration() throws(StoreError) -> (Engine.Restoration, [InterruptedAttempt]) {
        let open = try running()
        return (
            Engine.Restoration(
                requests: try pending(limit: .max), lastLaunches: try lastLaunches(),
                facts: try appFacts(), nextRequestID: try nextRequestID(),
                nextAttemptID: try newestAttempt() + 1),
            open.map { InterruptedAttempt(id: $0.attempt.id, request: $0.attempt.request) }
        )
    }

    /// What is known about the app.
    package func appFacts() throws(StoreError) -> AppFacts {
        AppFacts(
            entries: try fetch(
                "SELECT substr(name, 5), value FROM fact WHERE name > 'app:' AND name < 'app;'"
            ) { Fact(try $0[0], try $0[1]) })
    }

    /// When each periodic task was last launched.
    package func lastLaunches() throws(StoreError) -> [String: WallTime] {
        // ";" is the character after ":".
        let facts = try fetch(
            "SELECT substr(name, 8), value FROM fact WHERE name > 'launch:' AND name < 'launch;'"
        ) { (try $0[0] as String, try $0.date(1)) }
        return Dictionary(facts) { _, later in later }
    }
}
