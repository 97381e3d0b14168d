// SPDX-License-Identifier: Apache-2.0

import BGRunSystem
import Glibc

/// Reads manifests and other small files.
enum SourceFile {
    /// The maximum size of a manifest, in bytes.
    static let sizeLimit = 1 << 20

    enum Failure: Error {
        /// The file could not be opened or read; with the system's message.
        case unreadable(String)
        case tooLarge
    }

    /// The bytes of the regular file at `path`, at most `limit`.
    static func read(_ path: String, limit: Int = sizeLimit) throws(Failure) -> [UInt8] {
        let file = try ReadableFile(path) { code -> Failure in
            .unreadable(code.map { String(cString: strerror($0)) } ?? "not a regular file")
        }
        guard file.status.st_size <= limit else { throw .tooLarge }
        guard let bytes = file.bytes(limit: limit) else { throw .unreadable(systemMessage()) }
        guard bytes.count <= limit else { throw .tooLarge }
        return bytes
    }

    /// The reason why `path`, with links followed, does not lead to a regular file; nil if it does.
    static func absence(of path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0 else { return systemMessage() }
        return status.st_mode & S_IFMT == S_IFREG ? nil : "not a regular file"
    }

    /// Whether nothing is at `path`, with links followed; false if it cannot be determined.
    static func isMissing(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) != 0 && (errno == ENOENT || errno == ENOTDIR)
    }

    /// The users other than its owner that may read or write the file at `path`; nil if there are none, or
    /// the file is missing.
    static func readers(of path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        if status.st_mode & 0o007 != 0 { return "everyone" }
        return status.st_mode & 0o070 != 0 ? "its group" : nil
    }

    private static func systemMessage() -> String {
        String(cString: strerror(errno))
    }
}
