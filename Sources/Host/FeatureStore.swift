// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunStorage

/// The stored data of features. Belongs to the loop's thread.
package protocol FeatureStore: AnyObject {
    /// Hooks that must still run, the oldest first.
    func firings() throws(StoreError) -> [StoredFiring]
    func rememberedOfHooks() throws(StoreError) -> [String: Int64]
    /// When each plugin was last notified that a person used the app.
    func visits() throws(StoreError) -> [String: Int64]
    /// Held messages, the oldest first; nil: of all tasks.
    func heldPushes(of identifier: String?) throws(StoreError) -> [PushMessage]
    func nextPushID() throws(StoreError) -> Int64
}
