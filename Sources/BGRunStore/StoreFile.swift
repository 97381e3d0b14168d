// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Looks at a database file without leaving a trace, before it is opened for good.
enum StoreFile {
    /// SQLite's smallest page; it takes shorter files for empty ones.
    private static let smallestDatabase = 512

    /// The schema version of the file at `path`; nil when it does not exist or is empty.
    ///
    /// Throws `newer` and `foreign` for files that are not ours to open.
    static func schemaVersion(
        of path: String, _ format: DatabaseFormat = .app
    ) throws -> Int? {
        guard let size = size(of: path), size > 0 else { return nil }
        guard size >= smallestDatabase else {
            throw StoreError.corrupt(path: path, detail: "it has only \(size) bytes")
        }
        // A rollback journal is left by a first start that was cut off; opening the file undoes it.
        if let journal = self.size(of: path + "-journal"), journal > 0 { return 0 }
        // Without a log the file is all there is, and reading it needs no lock and no file beside
        // it. A log may hold a version that the file does not show yet.
        let hasLog = hasLog(path)
        let database = try Database(
            path, hasLog ? .read : .readFileAlone, patience: format.patience)
        let identity: Int = try database.value("PRAGMA application_id") ?? 0
        let version: Int = try database.value("PRAGMA user_version") ?? 0
        let applicationID = UInt32(truncatingIfNeeded: identity)
        guard applicationID == format.applicationID else {
            throw StoreError.foreign(path: path, applicationID: applicationID)
        }
        guard version <= format.version else {
            throw StoreError.newer(path: path, found: version, supported: format.version)
        }
        return version
    }

    static func checkReadable(
        _ path: String, version: Int?, _ format: DatabaseFormat = .app
    ) throws(StoreError) {
        guard let version else { throw .missing(path: path) }
        guard version == format.version else {
            throw .outdated(path: path, found: version, supported: format.version)
        }
    }

    /// Makes an empty file that only its owner may read; SQLite gives its companions the same mode.
    static func create(_ path: String) throws(StoreError) {
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw .unavailable(path: path, detail: String(cString: strerror(errno)))
        }
        close(descriptor)
    }

    static func hasLog(_ path: String) -> Bool { (size(of: path + "-wal") ?? 0) > 0 }

    private static func size(of path: String) -> Int? {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : nil
    }
}
