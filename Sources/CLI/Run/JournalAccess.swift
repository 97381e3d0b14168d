// SPDX-License-Identifier: Apache-2.0

import BGRunEventLog
import BGRunPolicy
import BGRunStorage

extension StateDirectory {
    var journalPaths: JournalPaths { JournalPaths(current: journal, previous: previousJournal) }

    /// The journal as it stands; what cannot be read counts as none.
    var journalImages: [JournalImage] {
        do throws(JournalFailure) {
            return try JournalImage.read(journalPaths)
        } catch {
            complain(error.message)
            return []
        }
    }

    /// What the store has of an identifier, which a host that starts later records in the journal; nil when it
    /// has no database yet, or cannot be read.
    func storedWait(
        of identifier: String, at now: WallTime
    ) -> (what: WaitHistory.Stored, now: WallTime)? {
        guard let store = try? storeToRead() else { return nil }
        guard let request = try? store.request(identifier) else { return (.nothing, now) }
        return (.request(request.id, submitted: request.submitted), now)
    }

    /// Whether the app's lock is held: by a host, or by a command for a moment.
    var hasHost: Bool {
        get throws(HostLockError) { try HostLock.holder(of: hostLock) != nil }
    }
}
