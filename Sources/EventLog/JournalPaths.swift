// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The two files of an app's journal.
package struct JournalPaths: Equatable, Sendable {
    /// The current file.
    package var current: String
    /// The previous file.
    package var previous: String

    package init(current: String, previous: String) {
        self.current = current
        self.previous = previous
    }

    /// Deletes both: a journal that does not continue would look like that of an idle host.
    package func remove() throws(JournalFailure) {
        for path in [current, previous] where unlink(path) != 0 && errno != ENOENT {
            throw JournalFailure(path, errno)
        }
    }
}

/// A failed access to a journal file.
package struct JournalFailure: Error, Equatable, Sendable {
    package var path: String
    var code: Int32

    init(_ path: String, _ code: Int32) {
        self.path = path
        self.code = code
    }

    package var isMissing: Bool { code == ENOENT }

    /// The failure and its remedy.
    package var message: String {
        let reason = String(cString: strerror(code))
        return switch code {
        case ENOSPC, EDQUOT: "\(path): \(reason); free some, or set `journal_size` lower"
        case EINVAL: "\(path) is not a regular file; name a file of a journal"
        case ENOENT: "\(path): \(reason); a host writes it, unless `journal_size` is 0"
        default: "\(path): \(reason); correct its owner and mode"
        }
    }
}
