// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A file with a secret: it belongs to its reader or root, and other users cannot open it.
package enum PrivateFile {
    package struct Refusal: Error {
        package var reason: String
        /// The error of a system call; 0: the file was opened.
        package var code: Int32 = 0
    }

    /// Opens it for reading; the caller closes the descriptor.
    package static func open(_ path: String) throws(Refusal) -> Int32 {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            let code = errno
            throw Refusal(reason: "\(path): \(String(cString: strerror(code)))", code: code)
        }
        guard let reason = objection(to: descriptor, path) else { return descriptor }
        close(descriptor)
        throw Refusal(reason: reason)
    }

    private static func objection(to descriptor: Int32, _ path: String) -> String? {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return "\(path) is not a regular file"
        }
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            return "\(path) belongs to user \(status.st_uid); it must be yours or root's"
        }
        guard status.st_mode & 0o077 == 0 else {
            return "others may use \(path) (mode \(String(status.st_mode & 0o777, radix: 8))); "
                + "run `chmod 600 \(path)`"
        }
        return nil
    }

    /// Its contents, at most `limit` bytes.
    package static func bytes(of path: String, limit: Int) throws(Refusal) -> [UInt8] {
        let descriptor = try open(path)
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        guard (0...limit).contains(count) else { throw Refusal(reason: "\(path) is too long") }
        return Array(bytes[..<count])
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
