// SPDX-License-Identifier: Apache-2.0

import GRDB
import GRDBSQLite
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
        let hasLog = (self.size(of: path + "-wal") ?? 0) > 0
        let connection = try Connection(path, immutable: !hasLog, patience: format.patience)
        let identity = try connection.integer("PRAGMA application_id")
        let version = try connection.integer("PRAGMA user_version")
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

    private static func size(of path: String) -> Int? {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : nil
    }
}

/// A connection that can only read, and does not even lock when the file is `immutable`.
private struct Connection: ~Copyable {
    private let handle: OpaquePointer

    /// - Parameter patience: Seconds another program's end is waited for: the last one to close a database
    ///   keeps it to itself while it puts the log away.
    init(_ path: String, immutable: Bool, patience: Double) throws {
        var name = ""
        for scalar in path.unicodeScalars {
            switch scalar {
            case "?", "#", "%": name += "%" + String(scalar.value, radix: 16)
            default: name.unicodeScalars.append(scalar)
            }
        }
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(
            "file:\(name)?mode=ro" + (immutable ? "&immutable=1" : ""), &opened,
            SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nil)
        guard code == SQLITE_OK, let opened else {
            sqlite3_close(opened)
            throw DatabaseError(resultCode: ResultCode(rawValue: code))
        }
        handle = opened
        sqlite3_busy_timeout(handle, CInt(patience * 1_000))
    }

    deinit { sqlite3_close(handle) }

    func integer(_ sql: String) throws -> Int {
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK,
            sqlite3_step(statement) == SQLITE_ROW
        else {
            throw DatabaseError(
                resultCode: ResultCode(rawValue: sqlite3_errcode(handle)),
                message: String(cString: sqlite3_errmsg(handle)))
        }
        return Int(sqlite3_column_int64(statement, 0))
    }
}
