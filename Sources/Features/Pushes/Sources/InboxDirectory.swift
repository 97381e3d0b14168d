// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunSystem
import CBGRunShims
import Glibc

/// The files of an inbox. Never follows links or special files that others may have put there.
final class InboxDirectory {
    struct File {
        var bytes: [UInt8]
        var written: WallTime
        /// Nanoseconds since the last write.
        var age: Int64
        fileprivate var inode: ino_t
        fileprivate var changed: timespec
    }

    private let path: String
    private let descriptor: Int32
    private let opener: RegularFile.Opener

    /// Opens the directory, and creates it if it is missing.
    init(_ path: String, opener: @escaping RegularFile.Opener = RegularFile.opener)
        throws(RegularFile.Refusal)
    {
        self.path = path
        self.opener = opener
        if mkdir(path, 0o700) < 0, errno != EEXIST { throw .system() }
        descriptor = opener(AT_FDCWD, path, O_DIRECTORY)
        guard descriptor >= 0 else { throw .system() }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_uid == geteuid() || status.st_uid == 0
        else { throw RegularFile.Refusal("it belongs to another user (\(status.st_uid))") }
    }

    deinit { close(descriptor) }

    /// Whether its path still leads to it.
    var isThere: Bool {
        var here = stat()
        var there = stat()
        return fstat(descriptor, &here) == 0 && stat(path, &there) == 0
            && here.st_ino == there.st_ino && here.st_dev == there.st_dev
    }

    /// The names of messages, the oldest first; nil if the directory cannot be read.
    func names() -> [String]? {
        guard let names = Directory.names(in: "/proc/self/fd/\(descriptor)") else { return nil }
        let dated = names.filter { $0.hasSuffix(".json") }.compactMap { name in
            var status = stat()
            return fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0
                ? (name, status.st_mtim) : nil
        }
        return dated.sorted { left, right in
            (left.1.tv_sec, left.1.tv_nsec, left.0) < (right.1.tv_sec, right.1.tv_nsec, right.0)
        }.map(\.0)
    }

    /// Nil if it has disappeared.
    func read(_ name: String, limit: Int) throws(RegularFile.Refusal) -> File? {
        let found = try RegularFile.contents(
            of: name, in: descriptor, O_NOFOLLOW, limit: limit, by: opener
        ) { status throws(RegularFile.Refusal) in
            guard status.st_uid == geteuid() || status.st_uid == 0 else {
                throw RegularFile.Refusal(
                    "it belongs to user \(status.st_uid), not to this one or root")
            }
            guard status.st_nlink == 1 else {
                throw RegularFile.Refusal("it has another name (a hard link)")
            }
            guard status.st_size <= limit else {
                throw RegularFile.Refusal(
                    "it has \(status.st_size) bytes; at most \(limit) are taken")
            }
        }
        guard let (bytes, status) = found else { return nil }
        guard bytes.count <= limit else { throw RegularFile.Refusal("it has over \(limit) bytes") }
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let (written, age) = Self.date(status.st_mtim, at: now)
        return File(
            bytes: bytes, written: written, age: age, inode: status.st_ino, changed: status.st_mtim)
    }

    /// When a file was written, between 1970 and now, and how many nanoseconds ago.
    static func date(_ changed: timespec, at now: timespec) -> (written: WallTime, age: Int64) {
        // The creator may set any date on a file, and the clock may be set to any.
        let seconds = Int64(max(0, min(changed.tv_sec, now.tv_sec)))
        let whole = Interval.seconds(Int64(now.tv_sec).saturatingSubtracting(seconds)).nanoseconds
        let age = whole.saturatingAdding(Int64(now.tv_nsec))
            .saturatingSubtracting(Int64(changed.tv_nsec))
        let milliseconds = seconds.saturatingMultiplied(by: 1_000)
            .saturatingAdding(Int64(changed.tv_nsec) / 1_000_000)
        return (WallTime(milliseconds: milliseconds), max(0, age))
    }

    /// The identity of a file, which distinguishes it from earlier and later files of the same
    /// name.
    func mark(of file: File, _ name: String) -> String {
        "\(file.inode) \(file.changed.tv_sec).\(file.changed.tv_nsec) \(file.bytes.count) \(name)"
    }

    /// Removes a processed file, unless another file now has its name. False: it cannot be removed.
    func remove(_ name: String, ifStill file: File) -> Bool {
        var status = stat()
        guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0,
            status.st_ino == file.inode, status.st_mtim.tv_sec == file.changed.tv_sec,
            status.st_mtim.tv_nsec == file.changed.tv_nsec
        else { return true }
        return unlinkat(descriptor, name, 0) == 0 || errno == ENOENT
    }

    /// Moves a file to the rejected ones, with the reason beside it.
    func reject(_ name: String, _ reason: String) throws(RegularFile.Refusal) {
        if mkdirat(descriptor, "rejected", 0o700) < 0, errno != EEXIST { throw .system() }
        let rejected = openat(
            descriptor, "rejected", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard rejected >= 0 else { throw .system() }
        defer { close(rejected) }
        guard renameat(descriptor, name, rejected, name) == 0 || errno == ENOENT else {
            throw .system()
        }
        // The reason must be complete when it becomes visible.
        let unseen = "." + name + ".reason"
        unlinkat(rejected, unseen, 0)
        let file = openat(
            rejected, unseen, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .system() }
        defer { close(file) }
        let line = reason + "\n"
        guard write(file, line, line.utf8.count) == line.utf8.count,
            renameat(rejected, unseen, rejected, name + ".reason") == 0
        else { throw .system() }
    }
}
