// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Has the kernel tell when names come up in a directory or go, or the directory goes (inotify). What
/// happened does not matter: the observer looks for itself. Belongs to the loop's thread.
package final class DirectoryWatch {
    private let inotify: Inotify
    private let token: Inotify.Token

    private static let losses =
        IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF

    /// Nil if the directory does not exist, or the kernel takes no more watches.
    /// - Parameter onlyLosses: Whether only names that go, or come to lead to another file, are of interest.
    package init?(
        _ loop: EventLoop, _ directory: String, onlyLosses: Bool = false,
        heard: @escaping () -> Void
    ) {
        let news = Self.losses | (onlyLosses ? 0 : IN_CREATE | IN_ATTRIB | IN_CLOSE_WRITE)
        guard let inotify = try? Inotify.of(loop),
            let token = try? inotify.add(directory, Int(news), heard: { _ in heard() })
        else { return nil }
        self.inotify = inotify
        self.token = token
    }

    deinit { inotify.remove(token) }
}
