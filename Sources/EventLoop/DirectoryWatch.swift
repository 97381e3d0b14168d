// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Reports when names in a directory appear or disappear, or the directory does (inotify). Does not report
/// which: the observer checks. Belongs to the loop's thread.
package final class DirectoryWatch {
    private let inotify: Inotify
    private let token: Inotify.Token

    private static let losses =
        IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF

    /// Nil if the directory does not exist, or the kernel permits no more watches.
    /// - Parameter onlyLosses: Whether to report only names that disappear or refer to another file.
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
