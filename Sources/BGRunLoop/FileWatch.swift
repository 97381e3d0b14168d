// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Has the kernel tell when a file was written or replaced (inotify). What is told is the name, not
/// the content: whoever watches compares.
///
/// It is the directories that are watched, that of the file and those of the symbolic links on the way
/// to it, so that editors and installers may put a new file, or lead to another one, in its place.
/// Belongs to the loop's thread.
public final class FileWatch {
    private let loop: EventLoop
    private let path: String
    private let descriptor: Int32
    private let changed: () -> Void
    /// By watch descriptor, a directory and the names that matter there.
    private var watched: [Int32: (directory: String, names: Set<String>)] = [:]

    /// Kubernetes puts another directory in place of the one this link names.
    private static let volumeLink = "..data"

    public init(
        _ loop: EventLoop, path: String, changed: @escaping () -> Void
    ) throws(SystemFailure) {
        self.loop = loop
        self.path = path
        self.changed = changed
        descriptor = try SystemFailure.check(
            "inotify_init1", inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK)))
        do throws(SystemFailure) {
            try look()
            try loop.watch(descriptor) { [unowned self] _ in drain() }
        } catch {
            close(descriptor)
            throw error
        }
    }

    deinit {
        loop.forget(descriptor)
        close(descriptor)
    }

    /// Follows the path from its beginning, through its links, as far as there is something.
    private func look() throws(SystemFailure) {
        let old = watched
        watched = [:]
        defer {
            for gone in old.keys where watched[gone] == nil { inotify_rm_watch(descriptor, gone) }
        }
        var directory = path.hasPrefix("/") ? "/" : "."
        var rest = Self.parts(path)
        // The kernel follows no more links either.
        var links = 40
        while let name = rest.popLast() {
            let next = "\(directory)/\(name)"
            var status = stat()
            let isThere = lstat(next, &status) == 0
            let isLink = isThere && status.st_mode & S_IFMT == S_IFLNK
            if isLink || !isThere || rest.isEmpty { try watch(directory, name) }
            guard isLink, links > 0, let target = Self.target(of: next) else {
                guard isThere else { return }
                directory = next
                continue
            }
            links -= 1
            rest += Self.parts(target)
            if target.hasPrefix("/") { directory = "/" }
        }
    }

    private static func target(of link: String) -> String? {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(link, &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer.prefix(count), as: UTF8.self) : nil
    }

    /// The names in a path, the last one first.
    private static func parts(_ path: String) -> [String] {
        path.split(separator: "/").filter { $0 != "." }.map(String.init).reversed()
    }

    private func watch(_ directory: String, _ name: String) throws(SystemFailure) {
        let news = IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_MOVE_SELF | IN_DELETE_SELF
        let watch = try SystemFailure.check(
            "inotify_add_watch",
            inotify_add_watch(descriptor, directory, UInt32(news | IN_ONLYDIR)))
        watched[watch, default: (directory, [Self.volumeLink])].names.insert(name)
    }

    private func drain() {
        var isChanged = false
        withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 8) { buffer in
            while case let count = read(descriptor, buffer.baseAddress, buffer.count), count > 0 {
                if concerns(UnsafeRawBufferPointer(rebasing: buffer[..<count])) { isChanged = true }
            }
        }
        guard isChanged else { return }
        // A link may lead elsewhere now; without a watch there the old ones remain.
        try? look()
        changed()
    }

    private func concerns(_ events: UnsafeRawBufferPointer) -> Bool {
        var offset = 0
        let size = MemoryLayout<inotify_event>.size
        while offset + size <= events.count {
            let event = events.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
            let end = offset + size + Int(event.len)
            // Events were lost: it may have been among them.
            if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { return true }
            let name = String(
                decoding: events[offset + size..<min(end, events.count)].prefix { $0 != 0 },
                as: UTF8.self)
            if concerns(event, name) { return true }
            offset = end
        }
        return false
    }

    /// A file that was just made has no content yet: it is told when it was written.
    private func concerns(_ event: inotify_event, _ name: String) -> Bool {
        guard let (directory, names) = watched[event.wd] else { return false }
        if event.mask & UInt32(IN_MOVE_SELF | IN_DELETE_SELF) != 0 { return true }
        guard names.contains(name) else { return false }
        var status = stat()
        return event.mask & UInt32(IN_CREATE) == 0 || lstat("\(directory)/\(name)", &status) != 0
            || status.st_mode & S_IFMT != S_IFREG || status.st_nlink > 1
    }
}
