// SPDX-License-Identifier: Apache-2.0

import BGRunLoop
import BGRunStore

extension Host {
    func save(_ changes: [StoreChange]) {
        unsaved += changes
        saveAfterThisRound()
    }

    /// The lines that are not stored yet, for the caller to store.
    func takeUnsaved() -> [StoreChange] {
        defer { unsaved.removeAll() }
        unsavedIsWaiting = false
        return unsaved
    }

    /// Stores the lines of this round before the loop waits again, unless an event takes them along.
    func saveAfterThisRound() {
        guard !isSaving, !unsaved.isEmpty else { return }
        isSaving = true
        loop.afterThisRound { [unowned self] in
            isSaving = false
            guard breakdown == nil, stalledSince == nil else { return }
            do throws(StoreError) { try saveLines() } catch { breakDown(error) }
        }
    }

    /// Stores the lines now; while the store is busy they wait.
    func saveLines() throws(StoreError) {
        _ = try save([], durability: .normal)
    }

    func sync(_ changes: [StoreChange]) throws(StoreError) -> Bool {
        try save(changes, durability: .full)
    }

    /// False: the store is busy, and the lines wait.
    private func save(
        _ changes: [StoreChange], durability: Durability
    ) throws(StoreError) -> Bool {
        let lines = takeUnsaved()
        do throws(StoreError) {
            try store.apply(
                lines + changes, durability: durability, patience: Self.busyPatience)
        } catch {
            guard case .busy = error else { throw error }
            unsaved = lines
            unsavedIsWaiting = true
            waitForStore()
            return false
        }
        return true
    }
}
