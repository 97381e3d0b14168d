// SPDX-License-Identifier: Apache-2.0

import BGRunHost
import BGRunManifest
import BGRunStorage

/// Hooks that must still run, the oldest first; limited, so that a task that always fails cannot fill the disk.
struct HookQueue {
    static let limit = 100

    private(set) var firings: [StoredFiring]
    private var nextID: Int64
    /// The number of firings dropped since the last accepted one.
    private(set) var dropped = 0

    init(_ stored: [StoredFiring]) {
        // Any program may have written the database: attempts of hooks have the negative number, and the counter
        // continues from the largest.
        firings = stored.filter { (1..<1 << 61).contains($0.id) }
        nextID = (firings.last?.id ?? 0) + 1  // fits: the store limits ids
    }

    var isEmpty: Bool { firings.isEmpty }

    /// The change to store; nil: the queue is full, and this firing is dropped.
    mutating func add(_ event: HookEvent, of hook: HookDefinition) -> StoreChange? {
        guard firings.count < Self.limit else {
            dropped += 1
            return nil
        }
        var event = event
        if dropped > 0 { event.dropped = dropped }
        dropped = 0
        let firing = StoredFiring(id: nextID, hook: hook.key, event: event.json)
        precondition(
            firing.id > 0 && firings.allSatisfy { $0.id < firing.id },
            "hook \(firing.id) is not the newest")
        nextID += 1
        firings.append(firing)
        return .putFiring(firing)
    }

    mutating func remove(_ id: Int64) -> StoreChange {
        firings.removeAll { $0.id == id }
        return .removeFiring(id: id)
    }
}
