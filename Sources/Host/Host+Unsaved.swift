// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunStorage

/// Lines of output and of the log, and other changes, that are not stored yet.
struct Unsaved {
    var changes: [StoreChange] = []
    /// Whether they will be at the end of this round.
    var isPlanned = false
    /// Whether they wait for another program to release the store.
    var isWaiting = false
}

extension Host {
    package func save(_ changes: [StoreChange]) {
        unsaved.changes += changes
        saveAfterThisRound()
    }

    /// The lines that are not stored yet, for the caller to store.
    func takeUnsaved() -> [StoreChange] {
        defer { unsaved.changes.removeAll() }
        unsaved.isWaiting = false
        return unsaved.changes
    }

    /// Stores the lines of this round before the loop waits again, unless an event takes them along.
    func saveAfterThisRound() {
        guard !unsaved.isPlanned, !unsaved.changes.isEmpty else { return }
        unsaved.isPlanned = true
        loop.afterThisRound { [unowned self] in
            unsaved.isPlanned = false
            guard breakdown == nil, stall.since == nil else { return }
            do throws(StoreError) { try saveLines() } catch { breakDown(error) }
        }
    }

    /// Stores the lines now; while the store is busy they wait.
    func saveLines() throws(StoreError) {
        _ = try save([], durability: .normal)
    }

    package func sync(_ changes: [StoreChange]) throws(StoreError) -> Bool {
        try save(changes, durability: .full)
    }

    /// False: the store is busy, and the lines wait.
    private func save(
        _ changes: [StoreChange], durability: Durability
    ) throws(StoreError) -> Bool {
        let lines = takeUnsaved()
        do throws(StoreError) {
            try store.apply(
                lines + changes, durability: durability, patience: stall.busyPatience)
        } catch {
            guard case .busy = error else { throw error }
            unsaved.changes = lines
            unsaved.isWaiting = true
            waitForStore()
            return false
        }
        return true
    }
}
