// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A file with a secret: it belongs to its reader or root, and other users cannot open it.
package enum PrivateFile {
    package struct Refusal: Error {
        package var reason: String
        /// The error of the system call that failed; 0: the file itself is refused.
        package var code: Int32 = 0
    }

    /// Opens it for reading.
    /// - Parameter name: The name of the file in a refusal of the file itself; nil: its path. Errors of the system
    ///   name the path.
    package static func open(
        _ path: String, named name: String? = nil
    ) throws(Refusal) -> ReadableFile {
        let name = name ?? path
        let file = try ReadableFile(path) { code -> Refusal in
            guard let code else { return Refusal(reason: "\(name) is not a regular file") }
            return Refusal(reason: "\(path): \(String(cString: strerror(code)))", code: code)
        }
        let status = file.status
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            throw Refusal(
                reason: "\(name) belongs to user \(status.st_uid); it must be yours or root's")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw Refusal(
                reason:
                    "others may use \(name) (mode \(String(status.st_mode & 0o777, radix: 8))); "
                    + "run `chmod 600 \(path)`")
        }
        return file
    }

    /// Its contents, at most `limit` bytes; `name` as for `open`.
    package static func bytes(
        of path: String, named name: String? = nil, limit: Int
    ) throws(Refusal) -> [UInt8] {
        let file = try open(path, named: name)
        guard let bytes = file.bytes(limit: limit) else {
            throw Refusal(reason: "\(path): \(String(cString: strerror(errno)))", code: errno)
        }
        guard bytes.count <= limit else {
            throw Refusal(reason: "\(name ?? path) is longer than \(limit) bytes")
        }
        return bytes
    }

    /// Its text without surrounding white space.
    package static func read(_ path: String) throws(Refusal) -> String {
        let text = try bytes(of: path, limit: 4_096).drop(while: \.isBlank)
        let end = text.lastIndex { !$0.isBlank }.map { $0 + 1 } ?? text.startIndex
        return String(decoding: text[..<end], as: UTF8.self)
    }
}

extension UInt8 {
    fileprivate var isBlank: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
}
