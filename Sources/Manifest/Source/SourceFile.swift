// SPDX-License-Identifier: Apache-2.0

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
        // Without O_NONBLOCK, opening a pipe without a writer would block forever.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .unreadable(systemMessage()) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .unreadable(systemMessage()) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .unreadable("not a regular file") }
        guard status.st_size <= limit else { throw .tooLarge }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: Int(min(max(status.st_size, 4_096), 65_536)))
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .unreadable(systemMessage()) }
            if count == 0 { return bytes }
            bytes += chunk[..<count]
            guard bytes.count <= limit else { throw .tooLarge }
        }
    }

    /// The reason why `path`, with links followed, does not lead to a regular file; nil if it does.
    static func absence(of path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0 else { return systemMessage() }
        return status.st_mode & S_IFMT == S_IFREG ? nil : "not a regular file"
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
