// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunSystem
import Glibc

/// The file that receives a body until it is complete. Closed with its last reference, so that work
/// on another thread may continue with it.
final class PartialFile: Sendable {
    let path: String
    let descriptor: Int32
    /// The directory in which it was opened and is renamed; nil: by its path.
    let directory: OpenDirectory?

    /// Opens the file, and creates it and its parent directories if missing.
    /// - Parameters:
    ///   - replaced: The file that it replaces: its permissions do not exceed those of that file. If
    ///     that file is missing, its mode is determined by umask. Nil: only the owner has access.
    ///   - directory: The open directory of both; nil: their paths are followed.
    init(
        _ path: String, replacing replaced: String?, in directory: OpenDirectory? = nil
    ) throws(TransferProblem) {
        self.path = path
        self.directory = directory
        let place = directory?.path(of: path) ?? path
        let replaced = replaced.map { directory?.path(of: $0) ?? $0 }
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        // Its owner must be able to reopen it to resume.
        let mode = (replaced.map { Self.mode(of: $0) ?? 0o666 } ?? 0o600) | 0o600
        var descriptor = open(place, flags, mode)
        if descriptor < 0, errno == ENOENT, directory == nil,
            let parent = ParentDirectory.of(path)
        {
            try ParentDirectory.make(parent, mode: 0o777) {
                TransferProblem(file: $0, doing: "made", errno: $1)
            }
            descriptor = open(path, flags, mode)
        }
        guard descriptor >= 0 else {
            throw TransferProblem(file: path, doing: "written", errno: errno)
        }
        self.descriptor = descriptor
        // Others may write to the directory, too, and may have put something else there.
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_uid == geteuid(), status.st_nlink == 1
        else {
            throw TransferProblem(
                .file, "\(path) is not ours; remove it, and find out which program made it")
        }
    }

    deinit { close(descriptor) }

    /// The permissions of a regular file of this user; nil if it does not exist.
    static func mode(of path: String) -> mode_t? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_uid == geteuid()
        else { return nil }
        return status.st_mode & 0o777
    }

    var size: Int64 {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Int64(status.st_size) : 0
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(TransferProblem) {
        var rest = bytes
        var place = offset
        while !rest.isEmpty {
            let count = pwrite(descriptor, rest.baseAddress, rest.count, off_t(place))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw unwritten(count < 0 ? errno : ENOSPC) }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            place += Int64(count)
        }
    }

    /// Writes `bytes` at the beginning.
    func write(_ bytes: [UInt8]) throws(TransferProblem) {
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(TransferProblem) in try write(bytes, at: 0) }
        }
        try result.get()
    }

    func truncate(to size: Int64) throws(TransferProblem) {
        guard ftruncate(descriptor, off_t(size)) == 0 else { throw unwritten(errno) }
    }

    /// Blocks until its bytes are on the disk.
    func sync() throws(TransferProblem) {
        guard fsync(descriptor) == 0 else { throw unwritten(errno) }
    }

    private func unwritten(_ code: Int32) -> TransferProblem {
        TransferProblem(file: path, doing: "written", errno: code)
    }

    /// Throws `noSpace` if its file system does not have room for `missing` more bytes; nil: for
    /// any.
    func checkSpace(for missing: Int64?) throws(TransferProblem) {
        var status = statvfs()
        guard fstatvfs(descriptor, &status) == 0 else { return }
        let (free, capacity) = (
            Self.bytes(status.f_bavail, status.f_frsize),
            Self.bytes(status.f_blocks, status.f_frsize)
        )
        guard !SpaceRule.hasSpace(for: missing, free: free, capacity: capacity) else { return }
        let wanted = missing.map { "\($0) bytes are still to come" } ?? "more is to come"
        throw TransferProblem(
            .noSpace,
            "\(path): \(free) bytes are free and \(wanted); it continues when there is room")
    }

    /// A file system may return any value.
    private static func bytes(_ blocks: UInt, _ size: UInt) -> Int64 {
        let (bytes, overflow) = blocks.multipliedReportingOverflow(by: size)
        return overflow ? .max : Int64(clamping: bytes)
    }
}
