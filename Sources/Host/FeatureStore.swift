// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunStorage

/// What features have stored. Belongs to the loop's thread.
package protocol FeatureStore: AnyObject {
    /// Hooks that are still to be run, the oldest first.
    func firings() throws(StoreError) -> [StoredFiring]
    func rememberedOfHooks() throws(StoreError) -> [String: Int64]
    /// When each plugin was notified that a person has used the app.
    func visits() throws(StoreError) -> [String: Int64]
    /// Messages that are held, the oldest first; nil: of all tasks.
    func heldPushes(of identifier: String?) throws(StoreError) -> [PushMessage]
    func nextPushID() throws(StoreError) -> Int64
}
