// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A descriptor that is open during an attempt, and the environment variable that names it.
struct LentDescriptor {
    private let descriptor: Int32
    private let variable: String
    /// The variable's value in the worker's own environment.
    private let before: String?
    private let file: File?

    private struct File: Equatable {
        var device: dev_t
        var inode: ino_t

        init?(_ descriptor: Int32) {
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { return nil }
            device = status.st_dev
            inode = status.st_ino
        }
    }

    private init(_ descriptor: Int32, _ variable: String, _ value: String) {
        self.descriptor = descriptor
        self.variable = variable
        before = getenv(variable).map { String(cString: $0) }
        file = File(descriptor)
        setenv(variable, value, 1)
    }

    /// The listening socket of `on: {socket: ...}`.
    static func socket(_ descriptor: Int32) -> Self {
        Self(descriptor, "BGRUN_LISTEN_FD", "\(descriptor)")
    }

    /// The sealed copy of a secret. Commands inherit it, as they inherit its variable.
    static func secret(_ name: String, _ descriptor: Int32) -> Self {
        _ = fcntl(descriptor, F_SETFD, 0)
        return Self(descriptor, "BGRUN_SECRET_\(name)", "/proc/self/fd/\(descriptor)")
    }

    /// Those of a launch: its secrets, and then a socket if it has one. Nil, after closing them, if a secret is
    /// missing.
    static func all(_ passed: [Int32], secrets: [String]) -> [Self]? {
        guard passed.count >= secrets.count else {
            for descriptor in passed { close(descriptor) }
            return nil
        }
        return zip(secrets, passed).map { secret($0, $1) }
            + passed.dropFirst(secrets.count).map { socket($0) }
    }

    /// The next attempt does not get it. A handler may have closed it, and the number may be another file's.
    func takeBack() {
        if let before {
            setenv(variable, before, 1)
        } else {
            unsetenv(variable)
        }
        if file != nil, File(descriptor) == file { close(descriptor) }
    }
}
