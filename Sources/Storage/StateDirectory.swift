// SPDX-License-Identifier: Apache-2.0

import BGRunSystem
import Glibc

/// The directory of an app's state, which only its user can change.
package struct StateDirectory: Equatable, Sendable {
    /// Absolute, or relative to the working directory if the override was.
    package let path: String

    /// The same path, independent of the working directory.
    package var absolutePath: String { AbsolutePath.of(path) }

    /// The identifier of its app.
    package var app: String { path.split(separator: "/").last.map(String.init) ?? path }

    /// The SQLite database.
    package var database: String { path + "/bgrun.sqlite" }
    /// The file whose lock shows that a host is running.
    package var hostLock: String { path + "/host.lock" }
    /// The record of the engine's input, for `bgrun replay`.
    package var journal: String { path + "/journal" }
    /// The previous part of the journal.
    package var previousJournal: String { path + "/journal.1" }
    /// The socket of a running host.
    package var controlSocket: String { path + "/control.sock" }

    /// The first file of the store that this process may not read and write; nil if all are accessible.
    package var inaccessibleStoreFile: String? { StoreFile.inaccessible(database) }

    /// The database of its transfers.
    package var transfers: String { path + "/transfers.sqlite" }
    /// The socket of their service; not longer than the control socket, whose length is checked.
    package var transferSocket: String { path + "/service.sock" }
    /// The file whose lock shows that the service is running.
    package var transferLock: String { path + "/service.lock" }
    /// The last messages of the service.
    package var serviceLog: String { path + "/service.log" }
    /// The directory of downloads without their own path.
    package var downloads: String { path + "/transfers" }
    /// The home directory of the app's code, with `Documents`, `Library` and `tmp`.
    package static func appHome(_ state: String) -> String { state + "/home" }
    /// The directory of downloads that no app has moved, kept for the user.
    package var keptDownloads: String { path + "/downloads" }

    /// The longest path of a UNIX socket, without its final zero byte.
    private static let socketPathMaximum = 107

    /// Chooses the directory of `app`, without access to the disk.
    ///
    /// `override` (`--state`) comes first, then `$XDG_STATE_HOME/bgrun`, then `$HOME/.local/state/bgrun`; root without
    /// a HOME, as under an init system, gets `/var/lib/bgrun`. As in the XDG specification, a relative XDG_STATE_HOME
    /// counts as not set.
    package init(
        app: String, override: String? = nil, environment: [String: String], userID: UInt32
    ) throws(StateDirectoryError) {
        guard !app.isEmpty, app != ".", app != "..", app.utf8.count <= 255,
            !app.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 < 0x20 || $0 == 0x7F })
        else { throw .invalidApp(app) }
        let base = try Self.base(override, environment, userID)
        path = base.hasSuffix("/") ? base + app : base + "/" + app
        guard controlSocket.utf8.count <= Self.socketPathMaximum else {
            throw .tooLong(path: path, excess: controlSocket.utf8.count - Self.socketPathMaximum)
        }
    }

    /// The directory that contains those of all apps.
    package static func base(
        _ override: String?, _ environment: [String: String], _ userID: UInt32
    ) throws(StateDirectoryError) -> String {
        if let override { return override }
        if let directory = environment["XDG_STATE_HOME"], directory.hasPrefix("/") {
            return directory + "/bgrun"
        }
        if let home = environment["HOME"], home.hasPrefix("/") {
            return home + "/.local/state/bgrun"
        }
        guard userID == 0 else { throw .noHome }
        return "/var/lib/bgrun"
    }

    /// Creates the directory and missing parents, only for their owner (0700), and checks that its user can change its
    /// contents and no other user can.
    package func create() throws(StateDirectoryError) {
        do throws(StateDirectoryError) {
            try ParentDirectory.make(path, mode: 0o700) {
                StateDirectoryError.inaccessible(path: $0, errno: $1)
            }
        } catch {
            guard case .inaccessible(_, let code) = error, code != EROFS else {
                throw closed ?? error
            }
            throw closed ?? .inaccessible(path: path, errno: code)
        }
        var status = stat()
        guard stat(path, &status) == 0 else { throw .inaccessible(path: path, errno: errno) }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw .inaccessible(path: path, errno: ENOTDIR)
        }
        guard status.st_uid == geteuid() else {
            throw .wrongOwner(path: path, owner: status.st_uid, user: geteuid())
        }
        guard status.st_mode & 0o022 == 0 else {
            throw .writableByOthers(path: path, mode: status.st_mode & 0o7777)
        }
        // The mode applies even where the rights of root would suffice.
        guard status.st_mode & 0o700 == 0o700 else {
            throw .closed(path: path, mode: status.st_mode & 0o7777)
        }
    }

    /// The directory, this one or a parent, that belongs to this user but whose mode keeps the user out; nil: it
    /// belongs to another user, or its mode permits reading.
    package var closed: StateDirectoryError? {
        guard faccessat(AT_FDCWD, path, R_OK | X_OK, AT_EACCESS) != 0, errno == EACCES else {
            return nil
        }
        var place = path
        var needed: mode_t = 0o500
        while true {
            var status = stat()
            if stat(place, &status) == 0 {
                guard geteuid() == status.st_uid, status.st_mode & needed != needed else {
                    return nil
                }
                return .closed(path: place, mode: status.st_mode & 0o7777)
            }
            guard errno == EACCES, let parent = ParentDirectory.of(place) else { return nil }
            (place, needed) = (parent, 0o100)
        }
    }
}

/// Why an app has no state directory.
package enum StateDirectoryError: Error, Equatable, Sendable {
    /// The app's name is not a valid name for a directory.
    case invalidApp(String)
    /// Neither HOME nor XDG_STATE_HOME is set.
    case noHome
    /// The control socket's path is `excess` bytes longer than the limit.
    case tooLong(path: String, excess: Int)
    /// It cannot be created or inspected.
    case inaccessible(path: String, errno: Int32)
    /// It belongs to this user, and its mode keeps the user out.
    case closed(path: String, mode: UInt32)
    case wrongOwner(path: String, owner: UInt32, user: UInt32)
    case writableByOthers(path: String, mode: UInt32)

    /// The problem and the remedy.
    package var message: String {
        switch self {
        case .invalidApp(let app):
            "the app \"\(app)\" cannot name a directory; correct app in the manifest"
        case .noHome:
            "the place for state is missing: set HOME or XDG_STATE_HOME, or use --state"
        case .tooLong(let path, let excess):
            "\(path) is \(excess) bytes too long for a socket in it; use --state with a shorter one"
        case .inaccessible(let path, EROFS):
            ReadOnlyDisk.message(path)
        case .inaccessible(let path, let code):
            "the state directory \(path) cannot be created: \(StateDirectory.obstacle(code))"
        case .closed(let path, let mode):
            "\(path): Permission denied by the mode (\(String(mode, radix: 8))) of your own directory; "
                + "chmod 700 \(path)"
        case .wrongOwner(let path, let owner, let user):
            "\(path) belongs to user \(owner) and bgrun runs as \(user); "
                + "run it as its owner, or use another --state"
        case .writableByOthers(let path, let mode):
            "\(path) can be changed by other users (mode \(String(mode, radix: 8))); "
                + "chmod 700 \(path)"
        }
    }
}

extension StateDirectory {
    /// The error of a system call on a path of the state, and the remedy.
    static func obstacle(_ code: Int32) -> String {
        let remedy = code == EACCES ? "make it writable" : "correct it"
        return "\(String(cString: strerror(code))); \(remedy), or give another --state"
    }
}
