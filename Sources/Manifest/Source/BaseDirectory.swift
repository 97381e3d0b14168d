// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The base directory of relative paths in a manifest.
struct BaseDirectory: Equatable, Sendable {
    /// Absolute, without a trailing slash unless it is the root.
    let path: String

    /// `path` made absolute with the working directory, otherwise unchanged.
    init(_ path: String) {
        self.path = Self.tidy(path.hasPrefix("/") ? path : Self.workingDirectory + "/" + path)
    }

    /// The directory of the file at `path`, with symbolic links resolved if it exists.
    init(ofFile path: String) {
        let parent = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        guard let resolved = realpath(parent, nil) else {
            self.init(parent)
            return
        }
        defer { free(resolved) }
        self.init(String(cString: resolved))
    }

    /// `path` made absolute. Keeps `..`: removing it would be wrong after a symbolic link.
    func resolve(_ path: String) -> String {
        Self.tidy(path.hasPrefix("/") ? path : self.path + "/" + path)
    }

    /// An absolute path without `.`, `..` and a slash at the end, whether or not links are in it.
    static func normalized(_ path: String) -> String {
        var names: [String] = []
        for name in path.split(separator: "/").map(String.init) where name != "." {
            if name != ".." { names.append(name) } else if !names.isEmpty { names.removeLast() }
        }
        return "/" + names.joined(separator: "/")
    }

    private static func tidy(_ path: String) -> String {
        // Strings: joining Substrings looks up conformances at run time, which a short run notices.
        let names = path.split(separator: "/").map(String.init)
        return "/" + names.filter { $0 != "." }.joined(separator: "/")
    }

    private static var workingDirectory: String {
        guard let current = getcwd(nil, 0) else { return "/" }
        defer { free(current) }
        return String(cString: current)
    }
}
