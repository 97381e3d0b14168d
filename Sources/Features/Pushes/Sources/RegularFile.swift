// SPDX-License-Identifier: Apache-2.0

import BGRunSystem
import Glibc

/// Reads files of push sources; refuses anything but regular files.
enum RegularFile {
    /// Why a file or directory cannot be used.
    struct Refusal: Error {
        var reason: String
        /// Whether the same file may be readable later.
        fileprivate(set) var isPassing = false

        init(_ reason: String) { self.reason = reason }

        static func system() -> Refusal {
            let code = errno
            var refusal = Refusal(String(cString: strerror(code)))
            refusal.isPassing = isShortage(code)
            return refusal
        }
    }

    /// Opens a file of a directory to read it; below 0: see `errno`.
    typealias Opener = (_ directory: Int32, _ name: String, _ flags: Int32) -> Int32

    static let opener: @Sendable (Int32, String, Int32) -> Int32 = { directory, name, flags in
        openat(directory, name, O_RDONLY | O_CLOEXEC | flags)
    }

    /// Its contents and status; nil if it is missing. Links are followed, unless `flags` has O_NOFOLLOW.
    /// - Parameters:
    ///   - limit: At most 64 KiB beyond `limit` are read; a result longer than `limit` means that the file is
    ///     too large.
    ///   - check: Called with the file's status; throws to refuse the file.
    static func contents(
        of name: String, in directory: Int32 = AT_FDCWD, _ flags: Int32 = 0, limit: Int = .max,
        by opener: Opener, check: (stat) throws(Refusal) -> Void = { _ in }
    ) throws(Refusal) -> (bytes: [UInt8], status: stat)? {
        // Does not wait for the writer of a pipe.
        let file = opener(directory, name, flags | O_NONBLOCK)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            if errno == ELOOP, flags & O_NOFOLLOW != 0 { throw Refusal("it is a symbolic link") }
            throw .system()
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw .system() }
        guard status.st_mode & S_IFMT == S_IFREG else { throw Refusal("it is not a regular file") }
        try check(status)
        guard let bytes = readAll(file, limit: limit) else { throw .system() }
        return (bytes, status)
    }
}
