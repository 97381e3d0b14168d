// SPDX-License-Identifier: Apache-2.0

import BGRunStore

extension StateDirectory {
    /// The store, for reading only; nil when no host has ever run.
    func storeToRead() throws(StoreError) -> Store? {
        do throws(StoreError) {
            return try Store.open(database, readOnly: true)
        } catch {
            guard case .missing = error else { throw error }
            return nil
        }
    }
}
