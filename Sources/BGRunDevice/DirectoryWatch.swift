// SPDX-License-Identifier: Apache-2.0

import BGRunLoop
import Glibc

/// Has the kernel tell when names come up in a directory, or the directory goes (inotify).
///
/// Belongs to the loop's thread.
final class DirectoryWatch {
    private let loop: EventLoop
    private let descriptor: Int32

    /// Nil when there is no such directory, or the kernel takes no more watches.
    init?(_ loop: EventLoop, _ directory: String, heard: @escaping () -> Void) {
        let descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        guard descriptor >= 0 else { return nil }
        let news = UInt32(
            IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)
        guard inotify_add_watch(descriptor, directory, news) >= 0,
            (try? loop.watch(descriptor, { _ in Self.drain(descriptor, heard) })) != nil
        else {
            close(descriptor)
            return nil
        }
        self.loop = loop
        self.descriptor = descriptor
    }

    deinit {
        loop.forget(descriptor)
        close(descriptor)
    }

    /// What happened is of no matter: whoever watches looks for himself.
    private static func drain(_ descriptor: Int32, _ heard: () -> Void) {
        var events = [UInt8](repeating: 0, count: 4_096)
        var hasHeard = false
        while read(descriptor, &events, events.count) > 0 { hasHeard = true }
        if hasHeard { heard() }
    }
}

/// Waits for a path to come up, though directories on the way to it are still missing.
final class PathWatch {
    private let loop: EventLoop
    private let path: String
    private let appeared: () -> Void
    private var watch: DirectoryWatch?

    /// `appeared` is called once, from the loop.
    init(_ loop: EventLoop, _ path: String, appeared: @escaping () -> Void) {
        self.loop = loop
        self.path = path
        self.appeared = appeared
        look()
    }

    /// Watches the deepest directory there is.
    private func look() {
        while true {
            let directory = deepestDirectory
            watch = DirectoryWatch(loop, directory) { [weak self] in
                // The watch is on the stack now, and goes when it is replaced.
                self?.loop.afterThisRound { self?.look() }
            }
            if access(path, F_OK) == 0 {
                watch = nil
                return loop.afterThisRound(appeared)
            }
            // What came up before the watch began is not told.
            if watch == nil || directory == deepestDirectory { return }
        }
    }

    private var deepestDirectory: String {
        var directory = path
        repeat {
            directory = String(directory[..<(directory.lastIndex(of: "/") ?? directory.startIndex)])
        } while !directory.isEmpty && access(directory, F_OK) != 0
        return directory.isEmpty ? "/" : directory
    }
}
