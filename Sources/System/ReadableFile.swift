// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A regular file that is open for reading until this is released.
package final class ReadableFile {
    package let descriptor: Int32
    /// Its status when it was opened.
    package let status: stat

    /// Opens the file at `path`; does not wait for the writer of a FIFO there.
    /// - Parameters:
    ///   - followsLink: Whether `path` may be a link. Links on the way are followed.
    ///   - failure: The error for the `errno` of a system call; nil: it is not a regular file.
    package init<Failure: Error>(
        _ path: String, followsLink: Bool = true, or failure: (Int32?) -> Failure
    ) throws(Failure) {
        let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
        let descriptor = open(path, followsLink ? flags : flags | O_NOFOLLOW)
        guard descriptor >= 0 else { throw failure(errno) }
        var status = stat()
        let code: Int32? = fstat(descriptor, &status) == 0 ? nil : errno
        guard code == nil, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw failure(code)
        }
        self.descriptor = descriptor
        self.status = status
    }

    deinit { close(descriptor) }

    /// The bytes up to its end, or more than `limit` of them; nil, with the reason in `errno`, if reading fails.
    package func bytes(limit: Int) -> [UInt8]? { readAll(descriptor, limit: limit) }
}
