// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The directories that contain a file or a directory.
package enum ParentDirectory {
    /// The parent in the path; nil if the path does not contain one: for "name", "/name" and "/".
    package static func of(_ path: String) -> String? {
        var rest = path[...]
        while rest.last == "/" { rest.removeLast() }
        guard let slash = rest.lastIndex(of: "/"), slash > path.startIndex else { return nil }
        return String(path[..<slash])
    }

    /// The directory that contains the entry at `path`: "." for "name", and "/" for "/name".
    package static func containing(_ path: String) -> String {
        of(path) ?? (path.first == "/" ? "/" : ".")
    }

    /// Makes a new entry at `path` survive a power failure. Has no effect if the file system cannot sync a directory.
    package static func sync(_ path: String) {
        let descriptor = open(containing(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    /// Creates the missing directories up to `path`; each survives a power failure.
    /// - Parameter failure: The error for the directory that cannot be created, from its path and the errno.
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

/// Makes paths absolute.
package enum AbsolutePath {
    /// `path`, resolved from the working directory if it is relative.
    package static func of(_ path: String) -> String {
        guard !path.hasPrefix("/"), let current = getcwd(nil, 0) else { return path }
        defer { free(current) }
        return String(cString: current) + "/" + path
    }
}
