// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunSystem
import CBGRunShims
import FoundationEssentials
import Glibc

/// Files that commands write for people: never overwrites an existing one.
enum NewFile {
    static func write(_ text: String, to path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            throw errno == EEXIST ? exists(path) : unwritable(path)
        }
        defer { close(descriptor) }
        guard writeAll(text.utf8, to: descriptor) else { throw unwritable(path) }
    }

    /// Reports that a file cannot be written, for the reason in `errno`; the error ends the command.
    static func unwritable(_ path: String) -> any Error {
        Exit.ioError.reporting("\(path) cannot be written: \(String(cString: strerror(errno)))")
    }

    /// Ends the command if there is an entry at `path`.
    static func requireAbsent(_ path: String) throws {
        var status = stat()
        if lstat(path, &status) == 0 { throw exists(path) }
    }

    private static func exists(_ path: String) -> any Error {
        Exit.ioError.reporting("\(path) exists, and is not overwritten; give another name")
    }

    /// Creates the directory unless it exists.
    static func makeDirectory(_ path: String) throws {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw Exit.ioError.reporting("\(path) cannot be made: \(error.fileReason)")
        }
    }
}

/// A file that the user names for the output of a command.
enum NamedFile {
    /// Replaces a regular file at once, and keeps its mode. Writes into a device or a FIFO. Refuses a link: another
    /// user may have set it for root to overwrite its target.
    static func write(_ text: String, to path: String) throws {
        var status = stat()
        let kind = lstat(path, &status) == 0 ? status.st_mode & S_IFMT : 0
        if kind == S_IFLNK {
            throw Exit.ioError.reporting("\(path) is a link, and is not followed; name its target")
        }
        let isFile = kind == 0 || kind == S_IFREG
        let mode = kind == S_IFREG ? status.st_mode & 0o777 : 0o644
        let isWritten =
            isFile
            ? AtomicFile.write(text.utf8, to: path, mode: mode)
                // A file that is mounted into a container cannot be replaced.
                || errno == EBUSY && overwrite(path, status, with: text)
            : overwrite(path, status, with: text)
        guard isWritten else { throw NewFile.unwritable(path) }
    }

    /// Writes into the file that had this status: since then, another user may have put a link to another one there.
    private static func overwrite(_ path: String, _ status: stat, with text: String) -> Bool {
        let descriptor = open(path, O_WRONLY | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        var opened = stat()
        guard fstat(descriptor, &opened) == 0, opened.st_dev == status.st_dev,
            opened.st_ino == status.st_ino, opened.st_mode & S_IFMT == status.st_mode & S_IFMT
        else {
            close(descriptor)
            errno = ESTALE
            return false
        }
        let isEmpty = opened.st_mode & S_IFMT != S_IFREG || ftruncate(descriptor, 0) == 0
        let isWritten = isEmpty && writeAll(text.utf8, to: descriptor)
        return close(descriptor) == 0 && isWritten
    }
}

/// Writes what `print` has buffered. Throws if any output of this process could not be written: a full disk must not
/// look like an empty result.
func flushOutput() throws {
    guard bgrun_flush_stdout() == 1 else {
        throw Exit.ioError.reporting("standard output cannot be written")
    }
}

/// At most `limit` bytes of a file, from its start; nil if it cannot be opened.
func beginning(of path: String, limit: Int) -> String? {
    guard let file = fopen(path, "re") else { return nil }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: limit)
    let count = fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes.prefix(count), as: UTF8.self)
}

extension Error {
    /// The system's message about a file that could not be written.
    var fileReason: String {
        guard let error = self as? CocoaError else { return "\(self)" }
        guard let cause = error.underlying as? POSIXError else {
            return "error \(error.code.rawValue)"
        }
        return String(cString: strerror(cause.code.rawValue))
    }
}
