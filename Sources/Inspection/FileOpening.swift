// SPDX-License-Identifier: Apache-2.0

import BGRunSystem
import Glibc

/// Opens a regular file without blocking and without leaking a descriptor.
enum FileOpening {
    /// The path without symbolic links.
    static func resolve(_ path: String) throws(FailedCheck) -> String {
        guard !path.utf8.contains(0) else { throw missing("a path with a NUL byte in it") }
        guard let resolved = realpath(path, nil) else {
            switch errno {
            case ENOENT: throw missing("nothing there")
            case ENOTDIR: throw missing("a file where the path names a directory")
            case ELOOP: throw missing("symbolic links that lead in a circle")
            case let code: throw unreadable(code)
            }
        }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Opens the regular file at `path`, which contains no symbolic link. The caller owns the
    /// descriptor.
    static func open(_ path: String) throws(FailedCheck) -> Int32 {
        // Checked first because opening a device may have an effect; opened without blocking
        // because a FIFO may replace it.
        var status = stat()
        guard lstat(path, &status) == 0 else { throw unreadable(errno) }
        try requireRegular(status)
        let flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC
        let descriptor = Glibc.open(path, flags)
        guard descriptor >= 0 else { throw unreadable(errno) }
        return descriptor
    }

    /// The status of an open regular file.
    static func status(of descriptor: Int32) throws(FailedCheck) -> stat {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw unreadable(errno) }
        try requireRegular(status)
        return status
    }

    private static func requireRegular(_ status: stat) throws(FailedCheck) {
        let found: String
        switch status.st_mode & S_IFMT {
        case S_IFREG: return
        case S_IFDIR: found = "a directory"
        case S_IFIFO: found = "a FIFO"
        case S_IFSOCK: found = "a socket"
        case S_IFCHR, S_IFBLK: found = "a device"
        default: found = "something else"
        }
        throw FailedCheck(
            check: .regularFile, expected: "a regular file", found: found,
            remedy: "give the path of the shared library itself")
    }

    private static func missing(_ found: String) -> FailedCheck {
        FailedCheck(
            check: .exists, expected: "a file", found: found,
            remedy: "build it, or correct the path (a relative one starts at the manifest)")
    }

    static func unreadable(_ code: Int32) -> FailedCheck {
        let (expected, remedy): (String, String) =
            switch code {
            case EMFILE: ("a free file descriptor", descriptorRemedy)
            case ENFILE: ("a free file descriptor", "raise fs.file-max of the machine (sysctl)")
            case ENOMEM: ("memory to open it", "free memory")
            default:
                (
                    "a file this user can read",
                    "let this user read the file and search the directories above it"
                )
            }
        return FailedCheck(
            check: .readable, expected: expected,
            found: "\"\(String(cString: strerror(code)))\"", remedy: remedy, systemError: code)
    }
}
