// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy
import BGRunStorage
import BGRunSystem

extension Host {
    /// The number of attempts that end between two cleanups.
    static let endsBetweenLooks = 64
    /// The number of rows examined each time.
    private static let rowsOfLook = 500

    /// Removes, now and then, a part of the history that is older than the policy keeps. While another program writes
    /// to the store, a later end does it instead: nothing waits for the cleanup.
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
            // The next cleanup removes the rest, and then comes sooner.
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
