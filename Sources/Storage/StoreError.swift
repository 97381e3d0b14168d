// SPDX-License-Identifier: Apache-2.0

/// Why the store cannot be opened, read or written. After an error, no change is partially made.
package enum StoreError: Error, Equatable, Sendable {
    /// The database at `path` does not exist, and read-only access cannot create it.
    case missing(path: String)
    /// A newer bgrun has written the database. It was not changed.
    case newer(path: String, found: Int, supported: Int)
    /// An older bgrun has written the database, and read-only access cannot migrate it.
    case outdated(path: String, found: Int, supported: Int)
    /// The file is a SQLite database of another application. It was not changed.
    case foreign(path: String, applicationID: UInt32)
    /// The store belongs to the app `owner`, not to `app`. It was not changed.
    case ofAnotherApp(path: String, owner: String, app: String)
    /// The file is not a database, or is damaged.
    case corrupt(path: String, detail: String)
    /// The file is empty, though it was in use.
    case emptied(path: String)
    /// The file is missing, but its log, with changes that only the log has, exists.
    case orphaned(path: String)
    /// The disk is full.
    case full(path: String)
    /// The file system is read-only.
    case readOnly(path: String)
    /// The file cannot be opened, read or written.
    case unavailable(path: String, detail: String)
    /// Another program was writing to the database for some seconds without a pause.
    case busy(path: String)
    /// The file at `path` is missing, or is not the opened one.
    case replaced(path: String)
    /// The log beside the file at `path` belongs to another store.
    case foreignLog(path: String)
    /// `endAttempt` names an attempt that is not running.
    case notRunning(attempt: Int64)
    /// A change violates the schema: an error of the caller.
    case rejected(path: String, detail: String)

    /// The problem and the remedy.
    package var message: String {
        switch self {
        case .missing(let path):
            "no database at \(path); start the host once, or correct --state"
        case .newer(let path, let found, let supported):
            "\(path) has schema version \(found) of a newer bgrun and this one knows \(supported); "
                + "it was not touched: use the newer bgrun, or another --state"
        case .outdated(let path, let found, let supported):
            "\(path) has schema version \(found) and this bgrun reads \(supported); "
                + "start the host once to bring it up to date"
        case .foreign(let path, let applicationID):
            "\(path) is a database of another application (application_id \(applicationID)); "
                + "it was not touched: move it away, or use another --state"
        case .ofAnotherApp(let path, let owner, let app):
            "\(path) belongs to the app \(owner), not to \(app); it was not touched: move it away, or put the "
                + "store of \(app) back; if \(owner) was renamed to \(app), run once: "
                + "sqlite3 '\(path.replacing("'", with: "'\\''"))' "
                + "\"DELETE FROM fact WHERE name LIKE 'owner:%'\""
        case .corrupt(let path, let detail):
            "\(path) is damaged (\(detail)); save what can be saved with "
                + "\"sqlite3 \(path) .recover\", then move it away and start again"
        case .emptied(let path):
            "\(path) is damaged: it is empty, and what it held is lost; move it, "
                + "\(path)-wal and \(path)-shm away, then put a backup in its place or start without one"
        case .orphaned(let path):
            "\(path) is missing, but its log \(path)-wal is not empty; put the file back beside its log, or "
                + "move \(path)-wal and \(path)-shm away, then put a backup in its place or start without one"
        case .full(let path):
            "no space left to write \(path); changes are not stored: free some space and try again"
        case .readOnly(let path):
            ReadOnlyDisk.message(path)
        case .unavailable(let path, let detail):
            "\(path) cannot be read or written (\(detail)); check its owner, mode and disk"
        case .busy(let path):
            "another program is writing to \(path); end it and try again"
        case .replaced(let path):
            "\(path) was removed, replaced or overwritten while it was in use; nothing more is "
                + "written: put the file back, or start again without it; if you have put another one in "
                + "its place, first delete \(path)-wal and \(path)-shm, the log of the old file"
        case .foreignLog(let path):
            "the log \(path)-wal is not that of \(path), which was replaced; nothing was changed: put "
                + "the file back, or move \(path)-wal and \(path)-shm away, and start again"
        case .notRunning(let attempt):
            "attempt \(attempt) cannot end: it is not running"
        case .rejected(let path, let detail):
            "a change does not fit the schema of \(path) (\(detail)); please report this"
        }
    }
}
