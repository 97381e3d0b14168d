// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunStorage

/// The disk below a simulated store: what is committed, and how much of it a power cut leaves.
///
/// A commit with `normal` durability survives the end of its process. A power cut takes some of the newest
/// commits, back to the last one with `full` durability, and never one from the middle.
package final class SimulatedDisk {
    let path: String
    /// What the last synced commit has led to.
    public private(set) var synced = StoredState()
    /// The commits since then.
    private var unsynced: [Commit] = []
    /// What all commits have led to.
    public private(set) var current = StoredState()
    /// Another program holds the write lock.
    package var isBusy = false {
        didSet { if oldValue, !isBusy { freed() } }
    }
    /// Called when the write lock is released.
    var freed: () -> Void = {}
    /// There is no space left.
    package var isFull = false

    private enum Commit {
        case changes([StoreChange])
        case prune(keepAttempts: Int, olderThan: WallTime)
    }

    package init(path: String = "/simulated/bgrun.sqlite") {
        self.path = path
    }

    package var unsyncedCommits: Int { unsynced.count }

    func commit(_ changes: [StoreChange], _ durability: Durability) throws(StoreError) {
        if isBusy { throw .busy(path: path) }
        if isFull { throw .full(path: path) }
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
        if isBusy { throw .busy(path: path) }
        if isFull { throw .full(path: path) }
        current.prune(keepAttempts: keepAttempts, olderThan: date)
        unsynced.append(.prune(keepAttempts: keepAttempts, olderThan: date))
    }

    private func sync() {
        synced = current
        unsynced.removeAll()
    }

    /// The power is cut: only `kept` of the commits since the last sync are on the disk.
    package func cutPower(keeping kept: Int) {
        current = state(after: min(kept, unsynced.count))
        // A store that is opened writes to the disk what it finds in its log.
        sync()
    }

    /// What the first `count` of the commits since the last sync have led to. They were made once, so
    /// that they can be made again.
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
