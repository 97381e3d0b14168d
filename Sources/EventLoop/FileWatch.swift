// SPDX-License-Identifier: Apache-2.0

import BGRunSystem
import Glibc

/// Reports when a file was written or replaced (inotify). Reports the name, not the content: the
/// observer compares.
///
/// Watches directories, that of the file and those of the symbolic links on the path, because editors
/// and installers may replace the file or a link. Belongs to the loop's thread.
package final class FileWatch {
    private let inotify: Inotify
    private let path: String
    private let changed: () -> Void
    /// The watches of the directories on the path.
    private var watched: Set<Inotify.Token> = []

    /// Kubernetes replaces the directory that this link names.
    private static let volumeLink = "..data"

    package init(
        _ loop: EventLoop, path: String, changed: @escaping () -> Void
    ) throws(SystemFailure) {
        inotify = try Inotify.of(loop)
        self.path = path
        self.changed = changed
        // If it throws, `deinit` runs: every property must be set.
        try look()
    }

    deinit { for token in watched { inotify.remove(token) } }

    /// Follows the path and its links up to the first missing component.
    private func look() throws(SystemFailure) {
        let old = watched
        watched = []
        // Removed after the new watches exist, so that no event is lost.
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
            // The path may have changed; if it cannot be watched, the remaining watches report the
            // next change.
            try? look()
            changed()
        }
        watched.insert(token)
    }

    /// A new file has no content yet: the event after its first write counts.
    private func concerns(_ event: Inotify.Event, _ directory: String, _ name: String) -> Bool {
        if event.mask & UInt32(IN_MOVE_SELF | IN_DELETE_SELF | IN_Q_OVERFLOW) != 0 { return true }
        guard event.name == name || event.name == Self.volumeLink else { return false }
        var status = stat()
        return event.mask & UInt32(IN_CREATE) == 0
            || lstat("\(directory)/\(event.name)", &status) != 0
            || status.st_mode & S_IFMT != S_IFREG || status.st_nlink > 1
    }
}
