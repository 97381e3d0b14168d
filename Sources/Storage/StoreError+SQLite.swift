// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Glibc

extension StoreError {
    /// A system call on `path` has failed with `systemCode`, which is an `errno`.
    init(systemCode: Int32, path: String) {
        switch systemCode {
        case EROFS: self = .readOnly(path: path)
        case ENOSPC, EDQUOT: self = .full(path: path)
        default: self = .unavailable(path: path, detail: String(cString: strerror(systemCode)))
        }
    }

    /// Maps an error of the store to one of the few that a person can act on.
    init(_ error: any Error, path: String) {
        if let error = error as? StoreError {
            self = error
            return
        }
        guard let error = error as? SQLiteError else {
            self = .corrupt(path: path, detail: "\(error)")
            return
        }
        var detail = error.message
        if error.systemCode != 0 {
            detail += ": \(String(cString: strerror(error.systemCode)))"
        }
        switch error.code {
        case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT:
            self = .corrupt(path: path, detail: detail)
        case SQLITE_INTERRUPT:
            self = .unavailable(path: path, detail: "reading it took too long")
        case _ where [ENOSPC, EDQUOT].contains(error.systemCode), SQLITE_FULL:
            self = .full(path: path)
        case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL:
            self = .busy(path: path)
        case SQLITE_CONSTRAINT, SQLITE_MISMATCH, SQLITE_TOOBIG, SQLITE_RANGE, SQLITE_ERROR:
            self = .rejected(path: path, detail: detail)
        default:
            // Of several files, the one that this process may not use.
            self =
                ReadOnlyDisk.holds(path)
                ? .readOnly(path: path)
                : .unavailable(path: StoreFile.inaccessible(path) ?? path, detail: detail)
        }
    }
}
