// SPDX-License-Identifier: Apache-2.0

import BGRunJournal
import BGRunStore

extension StateDirectory {
    var journalPaths: JournalPaths {
        JournalPaths(current: journal, previous: previousJournal)
    }

    /// The journal as it stands; what cannot be read counts as none.
    var journalImages: [JournalImage] {
        do throws(JournalFailure) {
            return try JournalImage.read(journalPaths)
        } catch {
            complain(error.message)
            return []
        }
    }

    /// Whether the app's lock is held: by a host, or by a command for a moment.
    var hasHost: Bool {
        get throws(HostLockError) { try HostLock.holder(of: hostLock) != nil }
    }
}
