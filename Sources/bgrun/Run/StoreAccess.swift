// SPDX-License-Identifier: Apache-2.0

import BGRunStore

extension StateDirectory {
    /// The store, for reading only; nil when no host has ever run, or the first one is just making it.
    func storeToRead() throws(StoreError) -> Store? {
        do throws(StoreError) {
            return try Store.open(database, readOnly: true)
        } catch {
            switch error {
            case .missing, .outdated(_, found: 0, _): return nil
            default: throw error
            }
        }
    }
}
