// SPDX-License-Identifier: Apache-2.0

import Glibc

package enum Directory {
    /// The names in a directory that do not begin with a dot; nil if it cannot be read.
    package static func names(in path: String) -> [String]? {
        guard let directory = opendir(path) else { return nil }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                tuple.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }

    /// The directories above an absolute path, without the root: `/a` and `/a/b` of `/a/b/c`.
    package static func ancestors(of path: String) -> [String] {
        path.split(separator: "/").dropLast().reduce(into: []) {
            $0.append(($0.last ?? "") + "/" + String($1))
        }
    }
}
