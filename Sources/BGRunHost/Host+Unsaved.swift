// SPDX-License-Identifier: Apache-2.0

import BGRunLoop
import BGRunStore

extension Host {
    /// The lines that are not stored yet, for the caller to store.
    func takeUnsaved() -> [StoreChange] {
        defer { unsaved.removeAll() }
        return unsaved
    }

    /// Stores the lines of this round before the loop waits again, unless an event takes them along.
    func saveAfterThisRound() {
        guard !isSaving, !unsaved.isEmpty else { return }
        isSaving = true
        loop.afterThisRound { [unowned self] in
            isSaving = false
            guard breakdown == nil else { return }
            do throws(StoreError) {
                try store.apply(takeUnsaved(), durability: .normal)
            } catch {
                breakDown(error)
            }
        }
    }
}
