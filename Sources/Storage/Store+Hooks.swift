// SPDX-License-Identifier: Apache-2.0

extension Store {
    /// Hooks that are still to be run, the oldest first.
    package func firings() throws(StoreError) -> [StoredFiring] {
        try fetch("SELECT id, hook, event FROM firing ORDER BY id") {
            StoredFiring(id: try $0.ordinal(0), hook: try $0[1], event: try $0[2])
        }
    }

    /// What is remembered of hooks, by name.
    package func rememberedOfHooks() throws(StoreError) -> [String: Int64] {
        // ";" is the character after ":".
        let rows = try fetch(
            "SELECT substr(name, 6), value FROM fact WHERE name > 'hook:' AND name < 'hook;'"
        ) { (try $0[0] as String, try $0[1] as Int64) }
        return Dictionary(rows) { first, _ in first }
    }

    /// When each plugin was notified that a person has used the app, in milliseconds since 1970.
    package func visits() throws(StoreError) -> [String: Int64] {
        let rows = try fetch(
            "SELECT substr(name, 7), value FROM fact WHERE name > 'visit:' AND name < 'visit;'"
        ) { (try $0[0] as String, try $0[1] as Int64) }
        return Dictionary(rows) { first, _ in first }
    }

    /// The last lines an attempt has written, at most `limit`, in their order.
    package func lastOutput(attempt: Int64, limit: Int) throws(StoreError) -> [String] {
        try fetch(
            "SELECT text FROM output WHERE attempt = ? ORDER BY line DESC LIMIT ?",
            [.int(attempt), .int(limit)]
        ) { try $0[0] as String }.reversed()
    }
}
