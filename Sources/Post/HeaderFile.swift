// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Headers, which may be secrets: one `Name: value` per line; skips empty lines and lines that begin
/// with `#`.
enum HeaderFile {
    struct Refusal: Error {
        var reason: String
    }

    private static let limit = 65_536

    /// The file must belong to its reader or root, and other users must not be able to open it.
    static func read(_ path: String) throws(Refusal) -> [String] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Refusal(reason: String(cString: strerror(errno))) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw Refusal(reason: "it is not a regular file")
        }
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            throw Refusal(reason: "it belongs to user \(status.st_uid); it must be yours or root's")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw Refusal(
                reason: "others may use it (mode \(String(status.st_mode & 0o777, radix: 8))); "
                    + "run `chmod 600 \(path)`")
        }
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        guard (0...limit).contains(count) else { throw Refusal(reason: "it is too long") }
        return try headers(String(decoding: bytes[..<count], as: UTF8.self))
    }

    static func headers(_ text: String) throws(Refusal) -> [String] {
        var headers: [String] = []
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() where !line.isEmpty && !line.hasPrefix("#") {
            let name = line.prefix { $0 != ":" }
            let isName = !name.isEmpty && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
            let isClean = line.unicodeScalars.allSatisfy { $0.value >= 0x20 || $0 == "\t" }
            guard isName, isClean, name.count < line.count else {
                throw Refusal(reason: "line \(index + 1) is not a header; write `Name: value`")
            }
            headers.append(String(line))
        }
        return headers
    }
}
