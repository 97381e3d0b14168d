// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunStorage

/// The disk of a simulated store: its commits, and those that survive a power cut.
///
/// A commit with `normal` durability survives the end of its process. A power cut takes some of the newest
/// commits, back to the last one with `full` durability, and never one from the middle.
package final class SimulatedDisk {
    let path: String
    /// The state after the last synced commit.
    public private(set) var synced = StoredState()
    /// The commits after `synced`.
    private var unsynced: [Commit] = []
    /// The state after all commits.
    public private(set) var current = StoredState()
    /// The number of the files at `path`.
    private(set) var files = 1
    /// Whether another program holds the write lock.
    package var isBusy = false {
        didSet { if oldValue, !isBusy { freed() } }
    }
    /// Called when the write lock is released.
    var freed: () -> Void = {}
    /// Whether there is no free space.
    package var isFull = false
    /// Called when a write is refused because there is no free space.
    var refusedAsFull: () -> Void = {}

    private enum Commit {
        case changes([StoreChange])
        case prune(keepAttempts: Int, olderThan: WallTime)
    }

    package init(path: String = "/simulated/bgrun.sqlite") {
        self.path = path
    }

    package var unsyncedCommits: Int { unsynced.count }

    func commit(_ changes: [StoreChange], _ durability: Durability) throws(StoreError) {
        try checkWritable()
        do throws(StoreError) {
            for change in changes { try current.apply(change, path: path) }
        } catch {
            current = state(after: unsynced.count)
            throw error
        }
        unsynced.append(.changes(changes))
        if durability == .full { sync() }
    }

    func prune(keepAttempts: Int, olderThan date: WallTime) throws(StoreError) {
        try checkWritable()
        current.prune(keepAttempts: keepAttempts, olderThan: date)
        unsynced.append(.prune(keepAttempts: keepAttempts, olderThan: date))
    }

    private func checkWritable() throws(StoreError) {
        if isBusy { throw .busy(path: path) }
        guard isFull else { return }
        refusedAsFull()
        throw .full(path: path)
    }

    private func sync() {
        synced = current
        unsynced.removeAll()
    }

    /// Puts the files of a new store into the place of the present ones.
    package func replace() {
        files += 1
        current = StoredState()
        sync()
    }

    /// Cuts the power: only `kept` of the commits since the last sync remain.
    package func cutPower(keeping kept: Int) {
        current = state(after: min(kept, unsynced.count))
        // Opening a store syncs the commits in its log.
        sync()
    }

    /// The state after the first `count` of the commits since the last sync. They have succeeded before, so
    /// they succeed again.
    private func state(after count: Int) -> StoredState {
        var state = synced
        for commit in unsynced.prefix(count) {
            switch commit {
            case .changes(let changes):
                for change in changes { try? state.apply(change, path: path) }
            case .prune(let keep, let date):
                state.prune(keepAttempts: keep, olderThan: date)
            }
        }
        return state
    }
}
