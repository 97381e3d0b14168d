// SPDX-License-Identifier: Apache-2.0

import BGRunEventLog
import BGRunPolicy
import BGRunStorage

extension StateDirectory {
    var journalPaths: JournalPaths { JournalPaths(current: journal, previous: previousJournal) }

    /// The current journal; empty if it cannot be read.
    var journalImages: [JournalImage] {
        do throws(JournalFailure) {
            return try JournalImage.read(journalPaths)
        } catch {
            complain(error.message)
            return []
        }
    }

    /// The stored wait of an identifier, which a host that starts later records in the journal; nil without a
    /// database, or if it cannot be read.
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
