// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Has the kernel tell when names come up in a directory or go, or the directory goes (inotify).
///
/// Belongs to the loop's thread.
public final class DirectoryWatch {
    private let loop: EventLoop
    private let descriptor: Int32

    /// Nil when there is no such directory, or the kernel takes no more watches.
    public init?(_ loop: EventLoop, _ directory: String, heard: @escaping () -> Void) {
        let descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        guard descriptor >= 0 else { return nil }
        let news = UInt32(
            IN_CREATE | IN_ATTRIB | IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE
                | IN_DELETE_SELF
                | IN_MOVE_SELF | IN_ONLYDIR)
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
