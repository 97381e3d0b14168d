// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The directories that contain a file or a directory.
package enum ParentDirectory {
    /// The parent in the path; nil when the path does not name one: for "name", "/name" and "/".
    package static func of(_ path: String) -> String? {
        var rest = path[...]
        while rest.last == "/" { rest.removeLast() }
        guard let slash = rest.lastIndex(of: "/"), slash > path.startIndex else { return nil }
        return String(path[..<slash])
    }

    /// Makes a new entry at `path` survive a power cut. Has no effect where the file system cannot sync a
    /// directory.
    package static func sync(_ path: String) {
        let parent = of(path) ?? (path.first == "/" ? "/" : ".")
        let descriptor = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    /// Makes the directory at `path` and those above it that are missing; each survives a power cut.
    /// - Parameter failure: The error for the directory that cannot be made, from its path and the errno.
    package static func make<Failure: Error>(
        _ path: String, mode: mode_t, or failure: (String, Int32) -> Failure
    ) throws(Failure) {
        if mkdir(path, mode) != 0 {
            let code = errno
            if code == EEXIST { return }
            guard code == ENOENT, let parent = of(path) else { throw failure(path, code) }
            try make(parent, mode: mode, or: failure)
            guard mkdir(path, mode) == 0 || errno == EEXIST else { throw failure(path, errno) }
        }
        sync(path)
    }
}

/// A path from the root.
package enum AbsolutePath {
    /// `path`, which starts at the working directory if it is relative.
    package static func of(_ path: String) -> String {
        guard !path.hasPrefix("/"), let current = getcwd(nil, 0) else { return path }
        defer { free(current) }
        return String(cString: current) + "/" + path
    }
}
