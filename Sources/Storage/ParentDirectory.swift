// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The directory that contains a file or a directory.
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
