// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The components of a path, including those of the symbolic links in it, in the order of the kernel's
/// resolution. Ends at the first missing component.
///
/// Reads a link when the next step is requested: a caller that watches it first misses no change.
package struct PathWalk: Sequence, IteratorProtocol {
    package struct Step {
        package let directory: String
        package let name: String
        /// Whether no component of the path or of its links follows.
        package let isLast: Bool
        /// Nil if it does not exist.
        package let owner: UInt32?
        package let isLink: Bool

        package var path: String { "\(directory)/\(name)" }
    }

    private var directory: String
    /// The remaining names, the next one last.
    private var rest: [String]
    /// The kernel's limit of links in one path.
    private var links = 40
    private var last: Step?

    package init(_ path: String) {
        directory = path.hasPrefix("/") ? "/" : "."
        rest = Self.parts(path)
    }

    package mutating func next() -> Step? {
        if let last { follow(last) }
        last = rest.popLast().map { name in
            var status = stat()
            let isThere = lstat("\(directory)/\(name)", &status) == 0
            return Step(
                directory: directory, name: name, isLast: rest.isEmpty,
                owner: isThere ? status.st_uid : nil,
                isLink: isThere && status.st_mode & S_IFMT == S_IFLNK)
        }
        return last
    }

    private mutating func follow(_ step: Step) {
        guard step.owner != nil else { return rest = [] }
        guard step.isLink, links > 0, let target = Self.target(of: step.path) else {
            directory = step.path
            return
        }
        links -= 1
        rest += Self.parts(target)
        if target.hasPrefix("/") { directory = "/" }
    }

    /// The contents of a symbolic link; nil if it cannot be read.
    package static func target(of link: String) -> String? {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(link, &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer.prefix(count), as: UTF8.self) : nil
    }

    private static func parts(_ path: String) -> [String] {
        path.split(separator: "/").filter { $0 != "." }.map(String.init).reversed()
    }
}
