// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import Glibc

/// A file that is written completely or not at all.
struct OutputFile {
    var path: String
    /// The path as in the manifest, for messages.
    var name: String
    var bytes: UnsafeRawBufferPointer

    /// Writes temporary files for all before it renames the first, so that a full disk or a missing
    /// directory leaves all of them unchanged.
    static func save(_ files: [OutputFile]) throws(ForeignFailure) {
        var staged: [(file: OutputFile, temporary: String)] = []
        defer { for (_, temporary) in staged { unlink(temporary) } }
        for file in files {
            let temporary = file.temporaryPath()
            let descriptor = open(
                temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
            guard descriptor >= 0 else { throw file.failure(errno) }
            staged.append((file, temporary))
            defer { close(descriptor) }
            try file.write(to: descriptor)
        }
        for (file, temporary) in staged {
            guard rename(temporary, file.path) == 0 else { throw file.failure(errno) }
            try file.syncDirectory()
        }
    }

    private func write(to descriptor: Int32) throws(ForeignFailure) {
        var existing = stat()
        if stat(path, &existing) == 0, fchmod(descriptor, existing.st_mode & 0o777) != 0 {
            throw failure(errno)
        }
        var rest = bytes
        while let start = rest.baseAddress, !rest.isEmpty {
            let written = Glibc.write(descriptor, start, rest.count)
            if written < 0, errno == EINTR { continue }
            guard written >= 0 else { throw failure(errno) }
            rest = UnsafeRawBufferPointer(rebasing: rest[written...])
        }
        guard fsync(descriptor) == 0 else { throw failure(errno) }
    }

    /// Makes the new name survive a power failure.
    private func syncDirectory() throws(ForeignFailure) {
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(errno) }
        defer { close(descriptor) }
        // Some file systems cannot sync a directory and return EINVAL.
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw failure(errno) }
    }

    private var directory: String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// In the same directory, for the rename; hidden, and accessible only to this user.
    private func temporaryPath() -> String {
        let unique = String(UInt64.random(in: .min ... .max), radix: 36)
        return "\(directory)/.bgrun-\(unique).part"
    }

    private func failure(_ error: Int32) -> ForeignFailure {
        ForeignFailure("\(name) cannot be saved: \(CText.error(error))")
    }
}
