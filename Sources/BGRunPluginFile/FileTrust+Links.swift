// SPDX-License-Identifier: Apache-2.0

import Glibc

extension FileTrust {
    /// The kernel follows no more links in one path.
    private static let mostLinks = 40

    /// Checks who made the symbolic links `path` leads through: who can turn a link chooses the file.
    func checkLinks(on path: String) throws(FailedCheck) {
        var directory = path.hasPrefix("/") ? "/" : "."
        var rest = Self.parts(path)
        var links = 0
        while let name = rest.popLast() {
            let next = "\(directory)/\(name)"
            var status = stat()
            guard lstat(next, &status) == 0 else { return }
            guard status.st_mode & S_IFMT == S_IFLNK, let target = Self.target(of: next) else {
                directory = next
                continue
            }
            links += 1
            guard links <= Self.mostLinks else { return }
            try checkLink(next, owner: status.st_uid)
            rest += Self.parts(target)
            if target.hasPrefix("/") { directory = "/" }
        }
    }

    private static func target(of link: String) -> String? {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(link, &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer.prefix(count), as: UTF8.self) : nil
    }

    /// The names in a path, the last one first.
    private static func parts(_ path: String) -> [String] {
        path.split(separator: "/").filter { $0 != "." }.map(String.init).reversed()
    }
}
