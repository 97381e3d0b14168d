// SPDX-License-Identifier: Apache-2.0

import BGRunSystem
import Glibc

/// Inspects a database file without changing anything, before it is opened.
enum StoreFile {
    /// SQLite's smallest page; it treats shorter files as empty.
    private static let smallestDatabase = 512

    /// The schema version of the file at `path`; nil if it does not exist or is empty.
    ///
    /// Throws `newer` and `foreign` for files that must not be opened, and `emptied` for a database that was truncated
    /// to zero.
    static func schemaVersion(of path: String, _ format: DatabaseFormat) throws -> Int? {
        guard let size = size(of: path) else { return nil }
        guard size > 0 else {
            if wasUsed(path, format) { throw StoreError.emptied(path: path) }
            return nil
        }
        guard size >= smallestDatabase else {
            throw StoreError.corrupt(path: path, detail: "it has only \(size) bytes")
        }
        // A rollback journal remains from an interrupted first start; opening the file rolls it back.
        if let journal = self.size(of: path + "-journal"), journal > 0 { return 0 }
        // Without a log the file is complete, and reading it needs no lock and no file beside it. A log may contain a
        // version that the file does not have yet.
        let hasLog = hasLog(path)
        let database = try Database(
            path, hasLog ? .read : .readFileAlone, timeout: format.timeout)
        return try schemaVersion(in: database, path, format)
    }

    /// The same for an open database.
    static func schemaVersion(
        in database: Database, _ path: String, _ format: DatabaseFormat
    ) throws -> Int {
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

    /// Whether the file at `path` may be read and written, is in WAL mode, and has no log or journal.
    static func isAlone(_ path: String) -> Bool {
        guard faccessat(AT_FDCWD, path, R_OK | W_OK, AT_EACCESS) == 0,
            size(of: path) ?? 0 >= smallestDatabase, isInLogMode(path)
        else { return false }
        return ["-journal", "-wal", "-shm"].allSatisfy {
            access(path + $0, F_OK) != 0 && errno == ENOENT
        }
    }

    /// Whether the header of the file has WAL mode for its readers. Another mode is changed when the store is opened,
    /// which waits for all of its readers.
    private static func isInLogMode(_ path: String) -> Bool {
        let file = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        var version: UInt8 = 0
        return pread(file, &version, 1, 19) == 1 && version == 2
    }

    /// Whether the empty database at `path` was in use. A database is created with its schema and then renamed, so that
    /// it is never empty, except beside a rollback journal: an older bgrun filled the file in place. A store may also
    /// be an empty file that a person created: then there is no trace of a host in `host.lock`, no journal and no log.
    private static func wasUsed(_ path: String, _ format: DatabaseFormat) -> Bool {
        guard size(of: path + "-journal") ?? 0 == 0 else { return false }
        guard format.isStore else { return true }
        let directory = path.lastIndex(of: "/").map { path[...$0] } ?? ""
        let traces = [path + "-wal"] + ["host.lock", "journal", "journal.1"].map { directory + $0 }
        return traces.contains { size(of: $0) ?? 0 > 0 }
    }

    /// Creates a new database with its schema elsewhere, then moves it into place: no process ever finds it empty or
    /// incomplete. If another process has created one meanwhile, or the file is empty, that file is used unchanged.
    static func create(_ path: String, _ format: DatabaseFormat) throws {
        // Looked for first: another process may create both now, the file before its log.
        let hasLog = hasLog(path)
        var status = stat()
        if lstat(path, &status) == 0 {
            guard stat(path, &status) == 0 else {
                throw StoreError.unavailable(path: path, detail: "a link to a missing file")
            }
            return
        }
        guard !hasLog else { throw StoreError.orphaned(path: path) }
        // One host creates its store; several processes may create the transfers at once.
        let new = path + (format.isStore ? ".new" : ".new-\(UInt64.random(in: 0 ... .max))")
        let sideFiles = ["-journal", "-wal", "-shm"]
        func removeNew() { for suffix in [""] + sideFiles { unlink(new + suffix) } }
        removeNew()
        defer { removeNew() }
        try create(new)
        try format.fill(new)
        // Files of an earlier database; an empty log may be the beginning of another process's.
        for suffix in format.isStore ? sideFiles : ["-journal"] { unlink(path + suffix) }
        let isInPlace =
            format.isStore
            ? rename(new, path) == 0
            : link(new, path) == 0 || errno == EEXIST
                // A file system without links.
                || [EPERM, ENOTSUP].contains(errno) && rename(new, path) == 0
        guard isInPlace else { throw StoreError(systemCode: errno, path: path) }
        ParentDirectory.sync(path)
    }

    /// Removes the temporary files of processes that were killed before they moved the new transfers into place: those
    /// not written to for an hour.
    static func removeLeftovers(of path: String) {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        for name in Directory.names(in: folder.isEmpty ? "." : folder) ?? [] {
            let file = folder + name
            var status = stat()
            guard file.hasPrefix(path + ".new-"), lstat(file, &status) == 0 else { continue }
            // fits: the present date, less an hour
            if status.st_mtim.tv_sec < time(nil) - 3_600 { unlink(file) }
        }
    }

    /// The first file of the database that this process may not read and write; nil if all are accessible.
    static func inaccessible(_ path: String) -> String? {
        [path, path + "-wal", path + "-shm"].first { file in
            faccessat(AT_FDCWD, file, R_OK | W_OK, AT_EACCESS) != 0 && errno == EACCES
        }
    }

    /// Creates an empty file that only its owner may read; SQLite gives its side files the same mode.
    static func create(_ path: String) throws(StoreError) {
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StoreError(systemCode: errno, path: path) }
        close(descriptor)
    }

    static func hasLog(_ path: String) -> Bool { (size(of: path + "-wal") ?? 0) > 0 }

    private static func size(of path: String) -> Int? {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : nil
    }
}
