// SPDX-License-Identifier: Apache-2.0

import BGRunSystem
import Glibc

/// Has the kernel tell when a file was written or replaced (inotify). What is told is the name, not
/// the content: the observer compares.
///
/// It is the directories that are watched, that of the file and those of the symbolic links on the way
/// to it, so that editors and installers may put a new file, or lead to another one, in its place.
/// Belongs to the loop's thread.
package final class FileWatch {
    private let inotify: Inotify
    private let path: String
    private let changed: () -> Void
    /// Of the directories on the way.
    private var watched: Set<Inotify.Token> = []

    /// Kubernetes puts another directory in place of the one this link names.
    private static let volumeLink = "..data"

    package init(
        _ loop: EventLoop, path: String, changed: @escaping () -> Void
    ) throws(SystemFailure) {
        inotify = try Inotify.of(loop)
        self.path = path
        self.changed = changed
        // When it throws, `deinit` runs: every property is set.
        try look()
    }

    deinit { for token in watched { inotify.remove(token) } }

    /// Follows the path from its beginning, through its links, as far as there is something.
    private func look() throws(SystemFailure) {
        let old = watched
        watched = []
        // After the new ones are there, so that nothing goes by unheard.
        defer { for token in old { inotify.remove(token) } }
        for step in PathWalk(path) where step.isLink || step.owner == nil || step.isLast {
            try watch(step.directory, step.name)
        }
    }

    private func watch(_ directory: String, _ name: String) throws(SystemFailure) {
        // A change of its permissions may have removed the problem.
        let news =
            IN_CLOSE_WRITE | IN_ATTRIB | IN_MOVED_TO | IN_CREATE | IN_MOVE_SELF | IN_DELETE_SELF
        let token = try inotify.add(directory, Int(news)) { [unowned self] events in
            guard events.contains(where: { concerns($0, directory, name) }) else { return }
            // It may be elsewhere now; what cannot be watched is heard of where it is watched still.
            try? look()
            changed()
        }
        watched.insert(token)
    }

    /// A file that was just made has no content yet: it is told when it was written.
    private func concerns(_ event: Inotify.Event, _ directory: String, _ name: String) -> Bool {
        if event.mask & UInt32(IN_MOVE_SELF | IN_DELETE_SELF | IN_Q_OVERFLOW) != 0 { return true }
        guard event.name == name || event.name == Self.volumeLink else { return false }
        var status = stat()
        return event.mask & UInt32(IN_CREATE) == 0
            || lstat("\(directory)/\(event.name)", &status) != 0
            || status.st_mode & S_IFMT != S_IFREG || status.st_nlink > 1
    }
}
