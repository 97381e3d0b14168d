// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy
import BGRunStorage
import BGRunSystem

extension Host {
    /// Attempts that end between two looks at what is old.
    static let endsBetweenLooks = 64
    /// Rows that are looked at each time.
    private static let rowsOfLook = 500

    /// Takes a part of what is older than the policy keeps out of the history, now and then. While another
    /// program writes to the store, that is left to a later end: nothing waits for it.
    func forgetOldAttempts() {
        attempts.endedSinceLook += 1
        guard attempts.endedSinceLook > Self.endsBetweenLooks, breakdown == nil, !isStalled else {
            return
        }
        attempts.endedSinceLook = 0
        let policy = manifest.policy
        let age = policy.keptFor.nanoseconds / 1_000_000
        let date = WallTime(milliseconds: max(0, now.milliseconds.saturatingSubtracting(age)))
        do throws(StoreError) {
            // What is left is taken at the next look, which then comes sooner.
            if try store.prune(
                keepAttempts: policy.keptAttempts, olderThan: date, rows: Self.rowsOfLook,
                timeout: .zero)
            {
                attempts.endedSinceLook = Self.endsBetweenLooks
            }
        } catch {
            guard case .busy = error else { return breakDown(error) }
            attempts.endedSinceLook = Self.endsBetweenLooks
        }
    }
}
