// SPDX-License-Identifier: Apache-2.0

import BGRunSystem
import Glibc

/// Listening sockets.
package enum UnixListener {
    /// A nonblocking listening socket that `bind` has bound; the caller closes it.
    package static func listening(
        _ family: Int32 = AF_UNIX, _ bind: (Int32) throws(SystemFailure) -> Void
    ) throws(SystemFailure) -> Int32 {
        let listener = try SystemFailure.check("socket", SocketName.stream(family))
        do throws(SystemFailure) {
            try bind(listener)
            try SystemFailure.check("listen", listen(listener, 64))
        } catch {
            close(listener)
            throw error
        }
        _ = fcntl(listener, F_SETFL, O_NONBLOCK)
        return listener
    }

    /// Listens at `path` without blocking, for this user and root; replaces the socket of a dead program. A
    /// client that sees the new one, also by watching for it, can connect. The caller closes the descriptor.
    /// - Parameter group: Its members may connect, too.
    package static func open(_ path: String, group: gid_t? = nil) throws(SystemFailure) -> Int32 {
        let unheard = firstName(path)
        let listener = try listening { listener throws(SystemFailure) in
            unlink(unheard)
            // The file gets the socket's mode; umask would affect all threads.
            fchmod(listener, 0o600)
            let bound = SocketName.with(path: unheard) { Glibc.bind(listener, $0, $1) }
            try SystemFailure.check("bind \(unheard)", bound)
            if let group {
                try SystemFailure.check("chown \(unheard)", chown(unheard, .max, group))
                try SystemFailure.check("chmod \(unheard)", chmod(unheard, 0o660))
            }
        }
        guard rename(unheard, path) == 0 else {
            let code = errno
            close(listener)
            throw SystemFailure("rename \(path)", code: code)
        }
        return listener
    }

    /// The path at which `open` first binds the socket, before it renames it.
    private static func firstName(_ path: String) -> String { String(path.dropLast()) + "~" }

    /// Whether `process`, or another program of its network namespace, has a socket that `open` opened at
    /// `path`, even if its file was removed; nil if the kernel does not report it.
    package static func isOpen(_ path: String, by process: Int32) -> Bool? {
        let sockets = ProcFile.text("/proc/\(process)/net/unix")
        guard !sockets.isEmpty else { return nil }
        let ending = " " + firstName(path)
        return sockets.split(separator: "\n").contains { $0.hasSuffix(ending) }
    }

    /// Binds `listener` to a configured path, for this user and root. Removes a dead program's socket of this
    /// user, but neither another file nor a socket in use.
    package static func bind(_ listener: Int32, toFree path: String) throws(SystemFailure) {
        var status = stat()
        if lstat(path, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFSOCK, status.st_uid == geteuid() else {
                throw SystemFailure(
                    "bind \(path), which is not a socket of this user", code: EEXIST)
            }
            guard !isHeard(path) else { throw SystemFailure("bind \(path)", code: EADDRINUSE) }
            unlink(path)
        }
        // The file gets the socket's mode; umask would affect all threads.
        fchmod(listener, 0o600)
        try SystemFailure.check(
            "bind \(path)", SocketName.with(path: path) { Glibc.bind(listener, $0, $1) })
    }

    /// Whether a program listens there, even one without room for another connection now.
    private static func isHeard(_ path: String) -> Bool {
        [0, EAGAIN].contains(connectionError(path))
    }

    /// The `errno` of a connection to the socket at `path`; 0: it is accepted. Does not block: a stopped
    /// program may have no room for another connection.
    package static func connectionError(_ path: String) -> Int32 {
        let probe = SocketName.stream(AF_UNIX)
        guard probe >= 0 else { return errno }
        defer { close(probe) }
        _ = fcntl(probe, F_SETFL, O_NONBLOCK)
        return SocketName.with(path: path) { connect(probe, $0, $1) } == 0 ? 0 : errno
    }
}
