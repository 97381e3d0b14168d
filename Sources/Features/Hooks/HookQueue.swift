// SPDX-License-Identifier: Apache-2.0

import BGRunHost
import BGRunManifest
import BGRunStorage

/// Hooks that are to be run, the oldest first; at most so many that a task that fails all the time
/// fills no disk.
struct HookQueue {
    static let limit = 100

    private(set) var firings: [StoredFiring]
    private var nextID: Int64
    /// Firings that were not taken since the last one that was.
    private(set) var dropped = 0

    init(_ stored: [StoredFiring]) {
        // A database may have been written by any program: attempts of hooks have the negative number, and
        // the counter continues from the largest.
        firings = stored.filter { (1..<1 << 61).contains($0.id) }
        nextID = (firings.last?.id ?? 0) + 1  // fits: the store limits ids
    }

    var isEmpty: Bool { firings.isEmpty }

    /// What is to be stored; nil: too many wait, and this one is dropped.
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
