// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunSystem
import Glibc

/// The right to be the only host of an app, or to change its store while no host runs.
///
/// The kernel holds the lock while this value and the process live: a lock cannot be left behind. The file only names
/// the holder; ignore its contents while it is not locked.
package struct HostLock: ~Copyable {
    private let descriptor: Int32
    /// The directory of the file, also locked; -1: not locked.
    private let directory: Int32

    /// The process that holds a lock.
    package struct Holder: Equatable, Sendable {
        /// 0: the holder has just taken the lock and has not written its data yet.
        package var pid: Int32
        package var started: WallTime
        /// Its absolute path.
        package var manifest: String
        package var version: String

        package init(pid: Int32, started: WallTime, manifest: String, version: String) {
            self.pid = pid
            self.started = started
            self.manifest = manifest
            self.version = version
        }
    }

    /// Takes the lock at `path` for `holder`; throws `held` if it is taken and not released within `timeout`. Sleeps in
    /// the kernel meanwhile.
    ///
    /// - Parameter ofDirectory: Whether the directory is locked as well, so that the lock remains
    ///   valid if the file is removed. Only for one lock per directory.
    package static func acquire(
        _ path: String, as holder: Holder, within timeout: Interval = .zero,
        ofDirectory: Bool = false
    ) throws(HostLockError) -> HostLock {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .inaccessible(path: path, errno: errno) }
        let lock = HostLock(
            descriptor: descriptor, directory: ofDirectory ? Self.directory(of: path) : -1)
        // Closing a watch takes milliseconds: it is created only if another process holds the lock.
        if try lock.take(path) != nil {
            let release = LockRelease(path, within: timeout)
            while let obstacle = try lock.take(path) {
                guard !release.wait(isSeen: obstacle == .file) else { continue }
                throw obstacle == .directory ? .removed(path: path) : .held(by: read(descriptor))
            }
        }
        try lock.write(holder, path)
        return lock
    }

    /// The holder of the lock at `path`; nil if it is free. Never takes the lock itself, not even briefly, so it cannot
    /// interfere with a starting host.
    package static func holder(of path: String) throws(HostLockError) -> Holder? {
        guard let descriptor = try opened(path) else { return nil }
        defer { close(descriptor) }
        var region = wholeFile
        guard fcntl(descriptor, F_OFD_GETLK, &region) == 0 else {
            throw .inaccessible(path: path, errno: errno)
        }
        return region.l_type == Int16(F_UNLCK) ? nil : read(descriptor)
    }

    /// The same, once the lock is free or `timeout` is over. Sleeps in the kernel meanwhile.
    package static func holder(
        of path: String, after timeout: Interval
    ) throws(HostLockError) -> Holder? {
        guard try holder(of: path) != nil else { return nil }
        let release = LockRelease(path, within: timeout)
        while let holder = try holder(of: path) {
            guard release.wait() else { return holder }
        }
        return nil
    }

    /// The last or present holder of the lock at `path`; nil if it was never held.
    package static func lastHolder(of path: String) throws(HostLockError) -> Holder? {
        guard let descriptor = try opened(path) else { return nil }
        defer { close(descriptor) }
        let holder = read(descriptor)
        return holder.pid == 0 ? nil : holder
    }

    /// The file for reading; nil if it does not exist.
    private static func opened(_ path: String) throws(HostLockError) -> Int32? {
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        if descriptor >= 0 { return descriptor }
        guard errno == ENOENT else { throw .inaccessible(path: path, errno: errno) }
        return nil
    }

    private static func directory(of path: String) -> Int32 {
        open(ParentDirectory.containing(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    }

    private enum Obstacle {
        case file, directory
    }

    /// Tries to lock the file and the directory; returns the one that another process has locked. On a file system that
    /// cannot lock directories, locks only the file.
    private func take(_ path: String) throws(HostLockError) -> Obstacle? {
        var region = Self.wholeFile
        guard fcntl(descriptor, F_OFD_SETLK, &region) == 0 else {
            guard errno == EAGAIN || errno == EACCES else {
                throw .inaccessible(path: path, errno: errno)
            }
            return .file
        }
        guard directory >= 0, flock(directory, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK else {
            return nil
        }
        return .directory
    }

    /// Unlocks explicitly, because a child between fork and exec still has the descriptor.
    deinit {
        var region = Self.wholeFile
        region.l_type = Int16(F_UNLCK)
        _ = fcntl(descriptor, F_OFD_SETLK, &region)
        close(descriptor)
        if directory >= 0 {
            flock(directory, LOCK_UN)
            close(directory)
        }
    }

    /// One line for each value; a reader accepts only a complete text.
    private func write(_ holder: Holder, _ path: String) throws(HostLockError) {
        let text = """
            \(holder.pid)
            \(holder.started.milliseconds)
            \(holder.version)
            \(holder.manifest)

            """
        let bytes = Array(text.utf8)
        // A reader never accepts a single byte as a complete text. Truncated to 0, ext4 would flush the file when it is
        // closed.
        guard ftruncate(descriptor, 1) == 0,
            pwrite(descriptor, bytes, bytes.count, 0) == bytes.count
        else { throw .inaccessible(path: path, errno: errno) }
    }

    private static func read(_ descriptor: Int32) -> Holder {
        var bytes = [UInt8](repeating: 0, count: 8_192)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        let lines = text.split(separator: "\n", maxSplits: 3, omittingEmptySubsequences: false)
        guard lines.count == 4, lines[3].last == "\n", let pid = Int32(lines[0]),
            let started = Int64(lines[1])
        else {
            return Holder(pid: 0, started: .epoch, manifest: "", version: "")
        }
        return Holder(
            pid: pid, started: WallTime(milliseconds: started),
            manifest: String(lines[3].dropLast()), version: String(lines[2]))
    }

    /// A lock of an open file description: as with flock(2) it belongs to the descriptor, is not lost when another
    /// descriptor of the same file is closed, and ends with its last holder. Unlike flock(2), it can be queried without
    /// being taken.
    private static var wholeFile: flock {
        var region = flock()
        region.l_type = Int16(F_WRLCK)
        region.l_whence = Int16(SEEK_SET)
        return region
    }
}

/// From `<fcntl.h>`, whose feature test hides them from Swift; the same on every Linux architecture.
private let F_OFD_GETLK: Int32 = 36
private let F_OFD_SETLK: Int32 = 37

/// Why a lock was not taken.
package enum HostLockError: Error, Equatable, Sendable {
    case held(by: HostLock.Holder)
    case inaccessible(path: String, errno: Int32)
    /// Its file was removed or replaced while another host held it; that host continues.
    case removed(path: String)

    /// The problem and the remedy.
    package var message: String {
        switch self {
        case .held(let holder) where holder.pid == 0:
            "another host of this app has just started; wait for it, or end it"
        case .held(let holder):
            "process \(holder.pid) is already running this app (bgrun \(holder.version), "
                + "manifest \(holder.manifest)); end it with \"kill \(holder.pid)\" and try again"
        case .removed(let path):
            "a host of this app still runs though \(path) was removed or replaced; end that host and try "
                + "again"
        case .inaccessible(let path, EROFS):
            ReadOnlyDisk.message(path)
        case .inaccessible(let path, let code):
            "the lock file \(path) cannot be used: \(StateDirectory.obstacle(code))"
        }
    }
}
